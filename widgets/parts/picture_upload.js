// Reads a file and sends it in pieces; a file that is too large is answered here and never sent.
const PIECE = 256 * 1024

export function render({ model, el }) {
  const input = make('input', { type: 'file', accept: 'image/*' })
  const label = make('label', {}, model.button, input)
  const part = frame(model, el, 'picture-upload', () => {})
  part.body.append(label)

  const say = (status, message) => { model.status = status; model.message = message }
  async function send(file) {
    if (!file) return
    const limit = model.max_bytes
    if (file.size > limit) {
      say('refused', `That file has ${(file.size / 2 ** 20).toFixed(1)} MB; a picture may have ${Math.round(limit / 2 ** 20)} MB here.`)
      return
    }
    say('loading', `Reading ${file.name} \u2026`)
    let data
    try { data = new Uint8Array(await file.arrayBuffer()) } catch (error) {
      say('refused', `The browser could not read ${file.name}. Choose the file again.`)
      return
    }
    const count = Math.max(1, Math.ceil(data.length / PIECE))
    for (let i = 0; i < count; i++) {
      const piece = data.subarray(i * PIECE, (i + 1) * PIECE)
      model.send_msg({ piece: i, last: i === count - 1, name: file.name, data: base64(piece) })
    }
    input.value = ''   // so that choosing the same file again counts as a choice
  }
  function base64(piece) {
    let text = ''
    for (let i = 0; i < piece.length; i += 8192) text += String.fromCharCode(...piece.subarray(i, i + 8192))
    return btoa(text)
  }
  input.addEventListener('change', () => send(input.files[0]))
  label.addEventListener('dragover', (e) => { e.preventDefault(); label.classList.add('over') })
  label.addEventListener('dragleave', () => label.classList.remove('over'))
  label.addEventListener('drop', (e) => { e.preventDefault(); label.classList.remove('over'); send(e.dataTransfer.files[0]) })
  label.addEventListener('paste', (e) => send(e.clipboardData.files[0]))
}
