import type { IncomingMessage, ServerResponse } from 'node:http'
import { exchange, usageOf } from './exchange.js'
import { badToken, graphError, unknownObject } from './graph-error.js'
import { graphErrorReply, graphReply, type GraphContext } from './graph-reply.js'
import { write, type Reply } from './http.js'
import { listTemplates, only } from './template-list.js'
import { isAuthorised } from './verdict.js'
import { isAccountId, isPhoneNumberId, type World } from './world.js'

const VERSION = /^v[0-9]{1,3}\.[0-9]{1,2}$/

/** Answers a request to the platform's own API; the version may be left out of the path. */
export const answerGraph = async (world: World, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const segments = url.pathname.split('/').slice(1)
  const versioned = VERSION.test(segments[0] ?? '')
  const version = (versioned ? segments[0] : undefined) ?? world.apiVersion
  const [id = '', edge] = versioned ? segments.slice(1) : segments
  if (request.method === 'POST' && edge === 'messages') {
    return exchange(world, { version, phoneNumberId: decodeURIComponent(id) }, request, response)
  }
  request.resume()
  write(response, read(world, { version, objectId: id, usage: usageOf(world, id) }, edge, url, request))
}

const read = (world: World, context: GraphContext, edge: string | undefined, url: URL, request: IncomingMessage): Reply => {
  const { objectId: id } = context
  if (!isAuthorised(world, request.headers.authorization)) return graphErrorReply(context, badToken)
  if (request.method !== 'GET') return graphErrorReply(context, unknownObject(id, 'post'))
  if (edge === 'message_templates') {
    return isAccountId(world, id)
      ? graphReply(context, listTemplates(world.templates.all(), url))
      : graphErrorReply(context, unknownObject(id, 'get'))
  }
  if (edge !== undefined) return graphErrorReply(context, graphError(100, `There is no edge named ${edge}`))
  const fields = url.searchParams.get('fields')
  const template = world.templates.withId(id)
  if (template !== undefined) return graphReply(context, only(fields, template))
  return isPhoneNumberId(world, id)
    ? graphReply(context, only(fields, phoneNumber(world, id)))
    : graphErrorReply(context, unknownObject(id, 'get'))
}

const phoneNumber = ({ account }: World, id: string) => ({
  verified_name: 'Postern Simulator',
  code_verification_status: 'VERIFIED',
  display_phone_number: `+${account.displayPhoneNumber}`,
  quality_rating: 'GREEN',
  platform_type: 'CLOUD_API',
  throughput: { level: 'STANDARD' },
  id,
})
