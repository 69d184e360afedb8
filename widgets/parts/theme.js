// Theme of the page a part stands in: our own pages, JupyterLab, Notebook, VS Code, else the system's.
const vit = (globalThis.__vitCourse ??= startVit())

function startVit() {
  const root = document.documentElement, listeners = new Set(), buses = new Map()
  const dark = () => {
    if (root.dataset.theme) return root.dataset.theme === 'dark'
    const body = document.body?.dataset ?? {}
    if (body.jpThemeLight) return body.jpThemeLight === 'false'
    if (body.vscodeThemeKind) return body.vscodeThemeKind !== 'vscode-light'
    return matchMedia('(prefers-color-scheme: dark)').matches
  }
  const apply = () => {
    const name = dark() ? 'dark' : 'light'
    if (root.dataset.vitTheme === name) return
    root.dataset.vitTheme = name
    listeners.forEach((f) => f(name))
  }
  if (!document.getElementById('vit-theme')) {
    const style = document.createElement('style')
    style.id = 'vit-theme'
    style.textContent = VIT_CSS
    document.head.append(style)
  }
  new MutationObserver(apply).observe(root, { attributes: true, attributeFilter: ['data-theme'] })
  if (document.body) new MutationObserver(apply).observe(document.body, { attributes: true })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply)
  apply()
  return {
    get theme() { return root.dataset.vitTheme },
    onTheme(f) { listeners.add(f); return () => listeners.delete(f) },
    // what the parts of one Selection tell each other, without a round trip through Python
    bus(name) {
      if (!buses.has(name)) buses.set(name, { hovered: null, extra: {}, listeners: new Set() })
      return buses.get(name)
    },
  }
}
