import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** How often an open page is rendered again to see whether it has changed. */
const LOOK_EVERY_MS = 200
const MAX_STREAMS = 100

/** The pages that are open. */
export type LivePages = {
  /** Sends the whole page again whenever it has changed; false if too many pages are open. `seen` is the id of the last event that the browser received. */
  readonly watch: (response: ServerResponse, seen: string | undefined, render: () => string) => boolean
}

/** Streams of server-sent events. Each event contains the whole page, so a browser that was disconnected misses nothing. */
export const makeLivePages = (): LivePages => {
  let open = 0
  return {
    watch: (response, seen, render) => {
      if (open >= MAX_STREAMS) return false
      open += 1
      let last = seen
      const show = (): void => {
        if (response.writableNeedDrain) return
        const html = rendered(render)
        if (html === undefined) return void response.destroy()
        const id = createHash('sha256').update(html).digest('base64url').slice(0, 16)
        if (id === last) return
        last = id
        response.write(`id: ${id}\n${html.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`).join('')}\n`)
      }
      const timer = setInterval(show, LOOK_EVERY_MS).unref()
      response.once('close', () => {
        open -= 1
        clearInterval(timer)
      })
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff',
      })
      response.write(': watching\n\n')
      show()
      return true
    },
  }
}

/** A defect of the page ends its stream, not the simulator. */
const rendered = (render: () => string): string | undefined => {
  try {
    return render()
  } catch {
    return undefined
  }
}
