/** A browser: it keeps cookies by host and port, and follows redirects. */
export type Browser = {
  /** Opens an address, and follows redirects until `stopAt` holds for the next one, or there is none. */
  readonly open: (address: string, stopAt?: (next: URL) => boolean) => Promise<Visit>
  /** The cookies for an address, by their names. */
  readonly cookiesOf: (address: string) => Map<string, string>
}

/** Where the browser ended: the last answer, and the address at which it stopped, or came to rest. */
export type Visit = { readonly url: string; readonly status: number; readonly headers: Headers; readonly text: string }

const MAX_REDIRECTS = 10

/** Makes a browser without cookies. Paths of cookies do not count. */
export const makeBrowser = (): Browser => {
  const jars = new Map<string, Map<string, string>>()
  const cookiesOf = (address: string): Map<string, string> => {
    const { host } = new URL(address)
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    return jar
  }
  const get = async (address: string): Promise<Response> => {
    const jar = cookiesOf(address)
    const response = await fetch(address, {
      redirect: 'manual', headers: { cookie: Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '' || /max-age=0/i.test(cookie) || /expires=Thu, 01 Jan 1970/i.test(cookie)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  return {
    cookiesOf,
    open: async (address, stopAt = () => false) => {
      let url = address
      for (let redirects = 0; redirects < MAX_REDIRECTS; redirects += 1) {
        const response = await get(url)
        const text = await response.text()
        const location = response.headers.get('location')
        if (location === null) return { url, status: response.status, headers: response.headers, text }
        const next = new URL(location, url)
        url = next.href
        if (stopAt(next)) return { url, status: response.status, headers: response.headers, text }
      }
      throw new Error(`more than ${MAX_REDIRECTS} redirects, the last one to ${new URL(url).pathname}`)
    },
  }
}
