import * as E from 'fp-ts/lib/Either.js'
import type { Transport, TransportResult } from '../../adapters/cloud-api/index.js'
import { checkRequest } from '../../apps/simulator/graph/messages.js'
import { graphError, type GraphError, graphErrorReply, graphReply } from '../../apps/simulator/graph/reply.js'
import { listTemplates, type Templates } from '../../apps/simulator/templates/templates.js'

/** A transport to the simulator's check and list of templates in this process, without sockets; the second result contains the responses to sends, oldest first. */
export const simulatorTransport = (templates: Templates): {
  readonly transport: Transport
  readonly answers: ReadonlyArray<GraphError | 'accepted'>
} => {
  const answers: Array<GraphError | 'accepted'> = []
  return {
    answers,
    transport: ({ method, origin, path, body }) => {
      const url = new URL(path, origin)
      if (method === 'GET') {
        return Promise.resolve(answered(url.pathname.endsWith('/message_templates') ? listTemplates(templates, url) : {}))
      }
      const answer = answerTo(body ?? '', templates)
      answers.push(answer)
      return Promise.resolve(answer === 'accepted' ? answered({ messages: [{ id: `wamid.${answers.length}` }] }) : refused(answer))
    },
  }
}

/** The simulator's response to the body of a send. */
export const answerTo = (body: string, templates: Templates): GraphError | 'accepted' => {
  const checked = checkRequest(body, templates)
  if (E.isLeft(checked)) return checked.left
  return checked.right._tag === 'Message' ? 'accepted' : graphError(100)
}

const CONTEXT = { version: 'v25.0', objectId: '1', usage: 1 }

const answered = (value: unknown): TransportResult => ({ _tag: 'Answered', ...graphReply(CONTEXT, value) })
const refused = (error: GraphError): TransportResult => ({ _tag: 'Answered', ...graphErrorReply(CONTEXT, error) })
