/** The options of a request in Node: a body may be a Buffer or a stream. The types of JSX bring those of browsers, which know neither. */
export type RequestOptions = Omit<RequestInit, 'body'> & {
  readonly body?: string | Uint8Array | FormData | URLSearchParams | Blob | ReadableStream<Uint8Array>
  readonly duplex?: 'half'
}

/** The options as `fetch` takes them. */
export const inNode = (options: RequestOptions): RequestInit => options as RequestInit
