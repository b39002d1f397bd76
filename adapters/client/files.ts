import type { Answer, BatchAnswer, CallOptions, FileOfLines, ListOf, QueryOf, SendOptions } from './calls.js'
import type { Operations } from './operations.js'
import type { CreateBatchRequest } from './schemas.js'

/** The calls about batches. */
export type BatchCalls = {
  /** All its requests have one key and make one batch, which is confirmed once. It may take as long as a call with a file. */
  readonly create: (body: CreateBatchRequest, options?: SendOptions) => Promise<BatchAnswer>
  /** Replaces the recipients of a draft. */
  readonly addRecipients: (id: string, file: FileOfLines, options?: CallOptions) => Promise<Answer<'PUT /batches/{id}/recipients'>>
  /** The price, the problems and the duration. It may take as long as a call with a file. */
  readonly preflight: (id: string, options?: CallOptions) => Promise<Answer<'POST /batches/{id}/preflight'>>
  /** Reserves the total of the preflight, such as `'312.500000'`, and sends the batch. */
  readonly confirm: (id: string, total: string, options?: CallOptions) => Promise<Answer<'POST /batches/{id}/confirm'>>
  readonly pause: (id: string, options?: CallOptions) => Promise<Answer<'POST /batches/{id}/pause'>>
  /** Goes on with a paused batch, or ends the wait after its first wave. */
  readonly resume: (id: string, options?: CallOptions) => Promise<Answer<'POST /batches/{id}/resume'>>
  readonly cancel: (id: string, options?: CallOptions) => Promise<Answer<'POST /batches/{id}/cancel'>>
  /** The result of each line, as a file. */
  readonly results: (
    id: string, query?: Operations['GET /batches/{id}/results']['query'], options?: CallOptions,
  ) => Promise<Answer<'GET /batches/{id}/results'>>
  /** With what has happened to its recipients. */
  readonly get: (id: string, options?: CallOptions) => Promise<Answer<'GET /batches/{id}'>>
  /** Newest first. */
  readonly list: (query?: QueryOf<'GET /batches'>, options?: CallOptions) => ListOf<'GET /batches'>
}

/** The calls about files of consents. */
export type ConsentCalls = {
  readonly import: (lines: FileOfLines, options?: CallOptions) => Promise<Answer<'POST /consents'>>
  readonly export: (query?: Operations['GET /consents']['query'], options?: CallOptions) => Promise<Answer<'GET /consents'>>
}
