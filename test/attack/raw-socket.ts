import { connect, type Socket } from 'node:net'

/** What came back on a connection until it ended or time was over. */
export type RawReply = {
  /** The status of each answer, in order. */
  readonly statuses: ReadonlyArray<number>
  readonly text: string
  /** Whether the gateway ended the connection. */
  readonly closed: boolean
}

/** Opens a connection to a gateway; errors of it are ignored, since attacks provoke them. */
export const openSocket = (url: string): Socket => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true })
  socket.on('error', () => undefined)
  return socket
}

/** Writes bytes to a new connection and reads until it ends, or until no more comes for so many milliseconds. */
export const exchange = (url: string, bytes: string | Uint8Array, quietMs = 300, firstMs = 10_000): Promise<RawReply> =>
  new Promise((resolve) => {
    const socket = openSocket(url)
    let text = ''
    const finish = (closed: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ statuses: statusesOf(text), text, closed })
    }
    let timer = setTimeout(finish, firstMs, false)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      clearTimeout(timer)
      timer = setTimeout(finish, quietMs, false)
    })
    socket.once('end', () => finish(true))
    socket.once('close', () => finish(true))
    socket.write(bytes)
  })

const statusesOf = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/(?:^|\n|\}|>)HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))

/** The bytes of a request with a body and its length. */
export const requestBytes = (
  method: string, path: string, headers: ReadonlyArray<readonly [string, string]>, body: string | Uint8Array = '',
): Buffer => {
  const content = Buffer.from(body)
  const lines = [...headers, ...(content.length > 0 ? [['Content-Length', String(content.length)] as const] : [])]
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`), content,
  ])
}
