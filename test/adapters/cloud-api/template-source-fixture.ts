import { makeTemplateSource } from '../../../adapters/cloud-api/templates.js'
import type { ClosableTransport, Transport } from '../../../adapters/cloud-api/transport.js'
import { startSimulator } from '../../../apps/simulator/simulator.js'
import type { TemplateDefinition } from '../../../apps/simulator/templates/template.js'
import { BUILT_IN } from '../../../apps/simulator/templates/templates.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { Template } from '../../../core/templates/template.js'
import type { TemplateSourceFixture } from '../../laws/template-source.js'
import { answer, type Behaviour, hang, openNetwork } from './network.js'

const ACCOUNT = { businessAccountId: '200000000000001', accessToken: 'EAAG-secret-token' }

/** More templates than a page has, one of which begins with another's name. */
const MORE: ReadonlyArray<TemplateDefinition> = Array.from({ length: 230 }, (_, n) => ({
  name: n === 0 ? 'order_update_2' : `campaign_${n}`, language: 'de', category: n % 2 === 0 ? 'UTILITY' : 'MARKETING',
  components: [{ type: 'BODY', text: `Grüße ${n}` }],
}))

const isCampaign = ({ name }: Pick<Template, 'name'>): boolean => name.startsWith('campaign_')

const FIRST_ID = 710_000_000_000_001

const expected = ({ name, language, category, status = 'APPROVED', components, ...more }: TemplateDefinition, place: number): Template => ({
  id: String(FIRST_ID + place), name, language, category: category.toLowerCase(), status: status.toLowerCase(), quality: 'unknown',
  parameterFormat: more.parameter_format === 'NAMED' ? 'named' : 'positional', components: components as ReadonlyArray<JsonObject>,
})

/** The source over a transport, before the simulator; `spoil` breaks the transport on purpose. */
export const openTemplateSourceFixture = async (
  transport: ClosableTransport, { spoil = (send: Transport) => send, timeoutMs = 1_000 } = {},
): Promise<TemplateSourceFixture & AsyncDisposable> => {
  const simulator = await startSimulator({ ...ACCOUNT, templates: MORE })
  const all = [...BUILT_IN, ...MORE].map(expected)
  const network = await openNetwork()
  const relay: Behaviour = (response, { url, headers }) => {
    void fetch(`${simulator.url}${url ?? ''}`, { headers: { authorization: headers.authorization ?? '' } }).then(async (reply) => {
      response.writeHead(reply.status, { 'content-type': 'application/json' })
      response.end(await reply.text())
    })
  }
  const willFail = (status: number, error: JsonObject, headers: Readonly<Record<string, string>> = {}) => async () =>
    network.behave(answer(status, { error }, headers))
  network.behave(relay)
  return {
    source: makeTemplateSource({ baseUrl: network.url, version: 'v25.0', timeoutMs, transport: spoil(transport.send) }),
    account: ACCOUNT,
    templates: all.toSorted((a, b) => Number(isCampaign(a)) - Number(isCampaign(b))),
    willList: async () => network.behave(relay),
    willForgetAccount: willFail(400, { code: 100, error_subcode: 33, message: 'Unsupported get request.', type: 'GraphMethodException' }),
    willRefuseCredentials: willFail(403, { code: 200, message: 'Permissions error', type: 'OAuthException' }),
    willThrottle: async () => {
      await willFail(
        400, { code: 80_008, message: 'There have been too many calls to this WhatsApp Business account.' }, { 'retry-after': '600' },
      )()
      return 600
    },
    willBreakOff: async () => network.behave((response, arrived) => (
      arrived.url?.includes('after=') === true ? answer(500, { error: { code: 2, message: 'Try again' } }) : relay
    )(response, arrived)),
    willHang: async () => network.behave(hang),
    goDown: () => network.close(),
    [Symbol.asyncDispose]: async () => {
      await transport.close()
      await network.close()
      await simulator.close()
    },
  }
}
