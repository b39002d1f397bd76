import { senderIdOf } from '../../core/senders/sender.js'
import { body, templateOf } from '../core/template-samples.js'
import { eventually } from '../support/eventually.js'
import { rightOf } from '../support/right-of.js'
import { type Console, ACCOUNT } from './console.js'

const TEMPLATE = 'order_update'

/** Batches of a workspace in each kind of state: a draft, one whose first wave has left, and one that is done and whose messages failed, were read or were not. */
export type SomeBatches = Readonly<Record<'draft' | 'live' | 'done', string>>

/** Makes batches, and waits until the gateway has sent what it can. */
export const makeBatches = async ({ gateway: { storage }, tenant }: Console): Promise<SomeBatches> => {
  rightOf(await storage.templateCatalogue.replaceAll(ACCOUNT, [
    templateOf([body('Hi {{1}}, your order {{2}} is on its way.')], { name: TEMPLATE }),
    templateOf([body('Hallo {{1}}, Ihre Bestellung {{2}} ist unterwegs.')], { id: '2', name: TEMPLATE, language: 'de' }),
  ], Date.now()))
  const make = async (name: string, recipients: ReadonlyArray<string>, more: object): Promise<string> => {
    const { status, json } = await tenant.ask('POST', '/v1/batches', {
      json: {
        template_name: TEMPLATE, name, ...more, recipients: recipients.map((to, index) => ({
          to, components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: `A-${index}` }] }],
        })),
      },
    })
    if (status !== 201) throw new Error(`the batch was refused: ${JSON.stringify(json)}`)
    return String(json['id'])
  }
  const shows = (id: string, state: string, counts: Readonly<Record<string, number>>) => eventually(`${id} is ${state}`, async () => {
    const { json } = await tenant.ask('GET', `/v1/batches/${id}`)
    const now = json['counts'] as Readonly<Record<string, number>>
    return json['state'] === state && Object.entries(counts).every(([name, count]) => now[name] === count) || undefined
  }, 60_000)
  // The simulator lets these fail, some where sending again can help, and reads all others.
  const done = await make('Done', ['15550100126', '15550100042', '4915123456780', '4915123456781'], { confirm: true })
  const live = await make('Live', ['4915123456782', '4915123456783', '4915123456784'], {
    confirm: true, first_wave: { recipients: 1, wait: 3_600 },
  })
  const draft = await make('Draft', ['4915123456785', '4915123456785', '4915123456786'], { metadata: { campaign: 'spring' } })
  await shows(done, 'done', { read: 2, failed: 1 })
  await shows(live, 'sending', { read: 1 })
  return { draft, live, done }
}

/** The addresses of the pages of batches and of what a template achieved, by their ends. */
export const pagesOfBatches = ({ draft, live, done }: SomeBatches, { tenant }: Pick<Console, 'tenant'>): ReadonlyArray<string> => [
  '/batches', '/batches/new',
  `/batches/new?${new URLSearchParams([['template', `${senderIdOf(tenant.phoneNumberId)}.["${TEMPLATE}","en"]`]]).toString()}`,
  `/batches/${draft}`, `/batches/${live}`, `/batches/${done}`, `/templates/${TEMPLATE}`,
]
