// Reads a file and sends it in pieces; a file that is too large is answered here and never sent.
import { make } from 'vit/drawing'
import { frame } from 'vit/part'

const PIECE = 256 * 1024
const AHEAD = 4         // pieces sent before the first is acknowledged: a small picture never waits for an answer
const LOOKING = 6       // times as long as for an acknowledgement: reading it, and every widget's look at it, on a slow machine

export function render({ model, el }) {
  const input = make('input', { type: 'file', accept: 'image/*' })
  const label = make('label', {}, model.button, input)
  const part = frame(model, el, 'picture-upload', () => {})
  part.body.append(label)
  let current = null   // the upload on its way: a newer one takes its place, and answers to the old one are not heard

  const say = (status, message) => { model.status = status; model.message = message }
  async function send(file) {
    if (!file) return
    const limit = model.max_bytes
    input.value = ''   // so that choosing the same file again counts as a choice
    end()
    if (file.size > limit) {
      say('refused', `That file has ${megabytes(file.size)} MB; a picture may have ${megabytes(limit)} MB here.`)
      return
    }
    const upload = current = { id: crypto.getRandomValues(new Uint32Array(3)).join('-'), name: file.name, next: 0, waiting: 0 }
    say('loading', `Reading ${file.name} \u2026`)
    let data
    try { data = new Uint8Array(await file.arrayBuffer()) } catch {
      if (upload === current) { end(); say('refused', `The browser could not read ${file.name}. Choose the file again.`) }
      return
    }
    upload.data = data
    upload.count = Math.max(1, Math.ceil(data.length / PIECE))
    if (upload === current) { listen(model.patience); more() }
  }
  function more() {
    const { id, name, data, count } = current
    for (; current.next < count && current.waiting < AHEAD; current.next++, current.waiting++) {
      const piece = data.subarray(current.next * PIECE, (current.next + 1) * PIECE)
      model.send_msg({ upload: id, piece: current.next, last: current.next === count - 1, name, data: base64(piece) })
    }
  }
  function heard({ upload, received, over }) {
    if (upload !== current?.id) return
    if (over) return end()
    current.waiting--
    listen(model.patience * (received === current.count - 1 ? LOOKING : 1))
    more()
  }
  function listen(patience) {
    clearTimeout(current.timer)
    current.timer = setTimeout(() => {
      end()
      say('refused', `Nothing has answered for ${patience} s, so the picture was not taken: a cell may still be running, or the`
        + ' kernel or the server may have stopped. When it runs again, choose the file again.')
    }, 1000 * patience)
  }
  function end() { clearTimeout(current?.timer); current = null }
  const megabytes = (size) => (size / 1e6).toFixed(1).replace('.0', '')
  function base64(piece) {
    let text = ''
    for (let i = 0; i < piece.length; i += 8192) text += String.fromCharCode(...piece.subarray(i, i + 8192))
    return btoa(text)
  }
  model.on('msg:custom', heard)
  model.on('remove', end)
  input.addEventListener('change', () => send(input.files[0]))
  label.addEventListener('dragover', (e) => { e.preventDefault(); label.classList.add('over') })
  label.addEventListener('dragleave', () => label.classList.remove('over'))
  label.addEventListener('drop', (e) => { e.preventDefault(); label.classList.remove('over'); send(e.dataTransfer.files[0]) })
  label.addEventListener('paste', (e) => send(e.clipboardData.files[0]))
}
