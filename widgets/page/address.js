export function render({ model, el }) {
  el.hidden = true
  const write = () => {
    const address = new URL(location.href)
    for (const [name, value] of Object.entries(model.query)) {
      if (value === '') address.searchParams.delete(name)
      else address.searchParams.set(name, value)
    }
    if (address.href !== location.href) history.replaceState(history.state, '', address)
  }
  write()
  model.on('query', write)
}
