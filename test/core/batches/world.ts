import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Batch } from '../../../core/batches/batch.js'
import type { BatchLine, LineProblem } from '../../../core/batches/lines.js'
import type { CreateBatchCommand } from '../../../core/batches/use-cases.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import { SECOND_MS } from '../../../core/kernel/time.js'
import { rightOf } from '../../support/right-of.js'
import { gateway, type GatewayOptions } from '../gateway.js'
import { body, templateOf } from '../template-samples.js'

/** A line, or what is wrong with it. */
export type GivenLine = E.Either<LineProblem, BatchLine>

/** Numbers of customers, and with them lines from number 2 on, as those of a CSV. */
export const customer = (index: number): PhoneNumber => `49151${String(10_000_000 + index)}` as PhoneNumber
export const linesTo = (count: number, first = 0): ReadonlyArray<GivenLine> =>
  Array.from({ length: count }, (_, index) => E.right({ line: index + 2, to: customer(first + index) }))

export const TEMPLATES = [
  templateOf([body('Sale!')], { id: '1', name: 'sale', category: 'marketing' }),
  templateOf([body('It is on its way.')], { id: '2' }),
]

/** A gateway with the use cases of batches for the operator of the gateway. */
export const batchWorld = async (options: GatewayOptions = {}) => {
  const gw = await gateway({ templates: TEMPLATES, balance: 100_000_000n, ...options })
  const { workspace, batching, storage } = gw
  const of = (batch: BatchId) => ({ by: SYSTEM, workspace, batch })
  const found = async (batch: BatchId): Promise<Batch> => {
    const one = rightOf(await storage.batches.find({ workspace, batch }))
    if (O.isNone(one)) throw new Error('the batch is gone')
    return one.value
  }
  const draft = async (lines: ReadonlyArray<GivenLine>, more: Partial<CreateBatchCommand> = {}): Promise<BatchId> => {
    const given = { by: SYSTEM, workspace, templateName: 'order_update', language: 'en', timing: {}, ...more }
    const { id } = rightOf(await batching.create(given))
    rightOf(await batching.addRecipients({ ...of(id), lines: streamOf(lines) }))
    return id
  }
  const confirm = async (batch: BatchId): Promise<Batch> => {
    const { total } = rightOf(await batching.preflight(of(batch)))
    return rightOf(await batching.confirm({ ...of(batch), total }))
  }
  return {
    ...gw, of, found, draft, confirm,
    batching,
    add: (batch: BatchId, lines: ReadonlyArray<GivenLine>) => batching.addRecipients({ ...of(batch), lines: streamOf(lines) }),
    confirmed: async (lines: ReadonlyArray<GivenLine>, more: Partial<CreateBatchCommand> = {}): Promise<BatchId> => {
      const id = await draft(lines, more)
      await confirm(id)
      return id
    },
    run: async () => rightOf(await batching.runBatches()),
    /** Runs the job of the batches and the queue, a second apart, until nothing more is sent. */
    runAll: async () => {
      for (let passes = 0; passes < 100; passes++) {
        const { queued } = rightOf(await batching.runBatches())
        const { sent, refused } = await gw.drain()
        gw.passes(SECOND_MS)
        if (queued + sent + refused === 0) return
      }
      throw new Error('the batches do not come to an end')
    },
    counts: async (batch: BatchId) => rightOf(await batching.show(of(batch))).counts,
    sentTo: () => gw.sent.map(({ message: { to } }) => to),
  }
}

export type BatchWorld = Awaited<ReturnType<typeof batchWorld>>

async function* streamOf(lines: ReadonlyArray<GivenLine>): AsyncGenerator<GivenLine> {
  for (const line of lines) yield await Promise.resolve(line)
}
