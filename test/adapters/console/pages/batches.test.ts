import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import type { Batch } from '../../../../core/batches/batch.js'
import { makeBatching } from '../../../../core/batching.js'
import { isBatchId } from '../../../../core/kernel/ids.js'
import { DAY_MS, SECOND_MS } from '../../../../core/kernel/time.js'
import { makeSending } from '../../../../core/postern.js'
import { senderIdOf } from '../../../../core/senders/sender.js'
import { role } from '../../../core/use-cases/member-world.js'
import { body, templateOf } from '../../../core/template-samples.js'
import { done } from '../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../browser.js'

const NUMBER = senderIdOf('106540352242922')
const ACCOUNT = '2001'
const CHOICE = `${NUMBER}.["sale","en"]`

/** A form with a file as its last part. */
const multipart = (fields: Readonly<Record<string, string>>, file: string, name = 'list.csv'): string => [
  ...Object.entries(fields).map(([field, value]) => `--b\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`),
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\n\r\n${file}\r\n--b--\r\n`,
].join('')

describe('the pages of batches', () => {
  let console: OpenConsole
  let developer: string
  beforeEach(async () => {
    console = await openConsole()
    const { storage, workspace, clock } = console
    await done(storage.senders.assign(workspace, { phoneNumberId: NUMBER, accessToken: 'token', businessAccountId: ACCOUNT }))
    await done(storage.templateCatalogue.replaceAll(ACCOUNT, [
      templateOf([body('Hello {{1}}, it is on sale.')], { id: '1', name: 'sale', category: 'marketing' }),
      templateOf([body('Not yet.')], { id: '2', name: 'waiting', status: 'pending' }),
    ], clock.at))
    await done(storage.ledger.topUp({ workspace, micros: 1_000_000n, reference: 'r', at: clock.at }))
    developer = await as('developer')
  })
  afterEach(() => console.close())

  const as = async (name: 'developer' | 'viewer'): Promise<string> =>
    `postern_session=${(await console.join(`${name}@example.com`, role(console.workspace, name))).token}`
  const path = (end = ''): string => `/console/workspaces/${console.workspace}/batches${end}`
  const shown = async (address: string, cookie = developer): Promise<string> => {
    const { status, text } = await console.get(address, cookie)
    assert.equal(status, 200, text)
    return wordsOf(text)
  }
  /** The words of a page between its tags. */
  const wordsOf = (text: string): string => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').replaceAll('&quot;', '"')
  const upload = (address: string, fields: Readonly<Record<string, string>>, file: string, name?: string) => console.send('POST', address, {
    raw: multipart(fields, file, name),
    headers: { Origin: console.origin, Cookie: developer, 'Content-Type': 'multipart/form-data; boundary=b' },
  })
  /** Makes a draft from a file. Right: its id, and what its page says. */
  const draft = async (
    file: string, fields: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly id: string; readonly says: string }> => {
    const made = await upload(path('/file'), { template: CHOICE, name: 'November', ...fields }, file)
    assert.equal(made.status, 303, made.text)
    const id = String(made.headers['location']).split('/').at(-1) ?? ''
    return { id, says: wordsOf((await console.follow(made, developer)).text) }
  }
  const found = async (id: string): Promise<Batch> => {
    const batch = isBatchId(id) ? await done(console.storage.batches.find({ workspace: console.workspace, batch: id })) : O.none
    if (O.isNone(batch)) throw new Error('there is no such batch')
    return batch.value
  }
  const confirm = (id: string, total: string) => console.post(path(`/${id}/confirm`), { total }, developer)

  const LIST = 'to,body.1\n+49 151 23456789,Ada\n+49 151 23456789,Ada again\nnonsense,Bob\n+33 6 39 98 00 01,Grace\n'

  it('says how to begin, and offers the approved templates with their columns and a sample', async () => {
    assert.include(await shown(path()), 'There are no batches yet.')
    const choose = await shown(path('/new'))
    assert.include(choose, 'sale, en')
    assert.notInclude(choose, 'waiting')
    const query = new URLSearchParams([['template', CHOICE]]).toString()
    assert.include(await shown(path(`/new?${query}`)), 'to,body.1')
    assert.include(await shown(path(`/sample.csv?${query}`)), 'to,body.1 4915123456789,(body.1)')
    assert.equal((await console.get(path(`/new?template=${NUMBER}.gone`), developer)).status, 422)
  })

  it('matches the columns of any spreadsheet, and asks for those that are not clear before it makes a draft', async () => {
    const semicolons = '\uFEFFName;Telefon\r\nAda;+49 151 23456789\r\nBob;4.91512E+12\r\n'
    assert.include((await draft(semicolons)).says, 'The file has 2 recipients. 1 line cannot be read, so it is left out: Line 3, column Telefon:')
    const unclear = 'Telefon,Vorname,Ort\n+49 151 23456789,Ada,Berlin\n'
    const refused = await upload(path('/file'), { template: CHOICE, name: 'Sale' }, unclear)
    assert.equal(refused.status, 422)
    assert.match(refused.text, /<select id="column\.body\.1"[^>]*autofocus/)
    assert.match(refused.text, /<option value="Telefon" selected>/)
    assert.include(wordsOf(refused.text), 'No column was found for this. Choose the one for: {{1}} in the text.')
    assert.include(refused.text, 'Choose the file again')
    assert.include((await draft(unclear, { 'column.body.1': 'Vorname' })).says, 'The file has 1 recipient.')
    assert.include((await upload(path('/file'), { template: CHOICE }, '')).text, 'The file is empty')
  })

  it('shows the first lines of a file as messages, with what was filled in', async () => {
    const { status, text } = await upload(path('/preview/file'), { template: CHOICE }, 'Telefon,Vorname\n+49 151 23456789,Ada\n0151,Bob\n')
    assert.equal(status, 200)
    assert.include(text, 'Hello <mark>Ada</mark>, it is on sale.')
    assert.match(text, /<option value="Vorname" selected>/)
    assert.include(wordsOf(text), 'Line 3, column Telefon:')
    const unclear = await upload(path('/preview/file'), { template: CHOICE }, 'a,b,c\n1,2,3\n')
    assert.notInclude(wordsOf(unclear.text), 'The first lines as messages')
  })

  it('takes when, how and with which notes a batch is sent, and names the field of a fault', async () => {
    const given = {
      until: '2030-01-01T10:00', from: '09:00', to: '20:00', days: 'workdays', zone: 'customer', brake_share: '10', brake_of: '100',
      metadata: 'campaign: spring\r\n\r\nteam: a:b',
    }
    const refused = async (fields: Readonly<Record<string, string>>) => {
      const { status, text } = await upload(path('/file'), { template: CHOICE, ...given, ...fields }, LIST)
      assert.equal(status, 422)
      return /id="(\w+)"[^>]*autofocus/.exec(text)?.[1]
    }
    for (const [field, value] of [
      ['until', '2020-01-01T10:00'], ['until', 'soon'], ['to', ''], ['to', '09:00'], ['brake_share', '101'], ['brake_of', '0'],
    ] as const) assert.equal(await refused({ [field]: value }), field, value)
    assert.include((await upload(path('/file'), { template: CHOICE, metadata: 'nothing' }, LIST)).text, 'Write each note as name: value.')
    const { id, says } = await draft(LIST, { ...given, until: '' })
    const { timing, brake, metadata } = await found(id)
    assert.deepEqual(timing.hours, { from: '09:00', to: '20:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'], timezone: 'customer' })
    assert.deepEqual(brake, { share: 0.1, of: 100 })
    assert.deepEqual(metadata, { campaign: 'spring', team: 'a:b' })
    assert.include(says, 'Sends between 09:00 and 20:00 where each customer lives. Only on Mon, Tue, Wed, Thu, Fri.')
    assert.include(says, 'Pauses if more than 10% of the last 100 messages fail')
    assert.include(says, 'Notes on each message: campaign: spring, team: a:b.')
  })

  it('shows the message of each recipient of a draft, and steps through those that can be sent', async () => {
    const { id, says } = await draft(LIST)
    assert.include(says, '+49 151 234 567 89 line 2')
    const page = async (line: string): Promise<string> => (await console.get(path(`/${id}?line=${line}`), developer)).text
    assert.include(await page('2'), 'Hello <mark>Ada</mark>, it is on sale.')
    assert.include(await page('2'), '?line=5#message')
    assert.include(await page('3'), 'Hello <mark>Grace</mark>, it is on sale.')
    assert.include(await page('5'), '?line=2#message')
    assert.include(await page('99'), 'Hello <mark>Grace</mark>, it is on sale.')
  })

  it('shows what is wrong with a form at its field, and keeps what was typed', async () => {
    const refused = async (fields: Readonly<Record<string, string>>): Promise<string> => {
      const { status, text } = await upload(path('/file'), { template: CHOICE, ...fields }, LIST)
      assert.equal(status, 422)
      return text
    }
    assert.include(await refused({ name: 'Sale', wave: 'many' }), 'Enter a whole number from 1 to 100,000.')
    assert.include(await refused({ name: 'Sale', wave: 'many' }), 'value="Sale"')
    assert.include(await refused({ wave: '5', wait: '200' }), 'Enter a whole number of hours from 1 to 168.')
    assert.include(await refused({ send_at: '2020-01-01T10:00' }), 'This time has passed.')
    assert.include(await refused({ name: 'a'.repeat(101) }), 'Enter at most 100 characters')
    assert.include(await refused({ template: `${NUMBER}.["waiting","en"]` }), 'This template is not approved')
    assert.include(await shown(path()), 'There are no batches yet.')
  })

  it('names the lines of a file that cannot be read, and shows who gets the message, what it costs and who is left out', async () => {
    const { says } = await draft(LIST, { wave: '1', wait: '2' })
    assert.include(says, 'The file has 4 recipients. 1 line cannot be read, so it is left out: Line 4, column to:')
    assert.include(says, '2 of 4 recipients get this message')
    assert.match(says, /Twice in the file 1 3 /)
    assert.match(says, /Not a phone number 1 4 /)
    assert.include(says, '+49 Marketing · $0.10 each 1 $0.10')
    assert.include(says, 'Available afterwards $0.85')
    assert.include(says, '1 message is sent first. The others follow 2 hours later')
    assert.include(says, 'This is the first batch with this template.')
    assert.include(says, 'Send to 2 customers for $0.15')
  })

  it('keeps the recipients if a new file cannot be read, and replaces them by those of one that can', async () => {
    const { id } = await draft(LIST)
    const replace = async (file: string) => wordsOf((await console.follow(await upload(path(`/${id}/file`), {}, file), developer)).text)
    const broken = await replace('to,body.7\n+49 151 23456789,Ada\n')
    assert.include(broken, 'The file cannot be read, so the recipients stay as they were. Line 1, column body.7:')
    assert.include(broken, 'Send to 2 customers')
    assert.include(await replace('to,body.1\n+49 151 23456780,Ada\n'), 'Send to 1 customer for $0.10')
  })

  it('confirms the shown total and no other, and then shows the batch with its parts, its money and its acts', async () => {
    const { id } = await draft(LIST)
    const other = await confirm(id, '999')
    assert.include(other.text, 'Nothing was sent and nothing is held.')
    assert.equal((await found(id)).state, 'draft')
    const { text } = await confirm(id, '150000')
    const says = wordsOf(text)
    assert.equal((await found(id)).state, 'confirmed')
    assert.include(says, 'The batch is confirmed, and its total is held.')
    assert.match(says, /0% 0 of 2 done/)
    assert.match(says, /Charged \$0\.00 On hold \$0\.15 Given back \$0\.00/)
    assert.include(await shown(path()), 'November sale, en Confirmed 0% of 2 $0.15')
  })

  it('pauses, resumes and cancels, and says why what the state does not permit is refused', async () => {
    const { id } = await draft(LIST)
    await confirm(id, '150000')
    const move = async (name: string): Promise<string> => wordsOf((await console.post(path(`/${id}/${name}`), {}, developer)).text)
    assert.include(await move('pause'), 'The batch is paused A person or an application paused it.')
    assert.include(await move('resume'), 'The batch goes on.')
    assert.include(await move('cancel'), 'No further message is sent.')
    assert.include(await move('pause'), 'The batch is in the state “Canceled” by now, which does not permit this.')
    assert.equal((await found(id)).state, 'canceled')
  })

  it('does not offer to send what the wallet cannot pay', async () => {
    const lines = Array.from({ length: 11 }, (_, at) => `49151234567${String(at + 10)},Ada`)
    const { id, says } = await draft(`to,body.1\n${lines.join('\n')}\n`)
    assert.include(says, 'The wallet lacks $0.10')
    assert.notInclude(says, 'Send to 11')
    const { text } = await confirm(id, '1100000')
    assert.include(wordsOf(text), '$1.00')
    assert.equal((await found(id)).state, 'draft')
  })

  /** Sends what can be sent, and ends what is over. */
  const run = async (): Promise<void> => {
    const { ports, settings, clock } = console
    const [batching, { drainQueue }] = [makeBatching(ports, settings), makeSending(ports, settings)]
    for (let passes = 0; passes < 4; passes++) {
      await done(batching?.runBatches() ?? Promise.reject(new Error('there are no batches')))
      await done(drainQueue?.() ?? Promise.reject(new Error('there is no queue')))
      clock.at += 5 * SECOND_MS
    }
  }
  const again = async (id: string, group: string) => console.post(path(`/${id}/again`), { group }, developer)

  it('makes a draft for those to whom a canceled batch was not sent, which is sent like it', async () => {
    const { id } = await draft(LIST, { wave: '1', wait: '2', from: '00:00', to: '23:59', metadata: 'campaign: spring' })
    await confirm(id, '150000')
    assert.notInclude(await shown(path(`/${id}`)), 'Send again to some')
    await console.post(path(`/${id}/cancel`), {}, developer)
    await run()
    assert.include(await shown(path(`/${id}`)), 'Send to the 2 it was not sent to')
    const { text } = await again(id, 'unsent')
    assert.include(wordsOf(text), 'The draft has 2 recipients. Nothing is sent before you confirm it.')
    assert.include(wordsOf(text), 'Send to 2 customers for $0.15')
    const { items } = await done(console.storage.batches.list(console.workspace, { limit: 10 }))
    const [made, earlier] = [items[0], await found(id)]
    assert.equal(made?.name, 'November · not sent')
    assert.deepEqual([made?.brake, made?.firstWave, made?.metadata, made?.timing], [
      earlier.brake, earlier.firstWave, earlier.metadata, { hours: earlier.timing.hours },
    ])
  })

  it('offers to send again to those whom it can help, and to those who have not read it, and leaves no draft without recipients', async () => {
    const refusal = (code: number) => () => Promise.resolve({ _tag: 'PlatformRejected', error: { code, title: 'No' } } as const)
    console.willAnswer(...[131_026, 131_056].map(refusal))
    const { id } = await draft(`to,body.1\n${[0, 1, 2, 3].map((at) => `49151234567${String(10 + at)},Ada`).join('\n')}\n`)
    await confirm(id, '400000')
    await run()
    const { items } = await done(console.storage.messageLog.list(console.workspace, { limit: 10 }))
    for (const { id: messageId, state, platformId } of items) {
      if (state !== 'accepted' || platformId === undefined) continue
      await makeSending(console.ports, console.settings).receive([{
        _tag: 'StatusReport', phoneNumberId: NUMBER, messageId, platformId,
        change: { state: 'delivered', at: console.clock.at },
      }])
    }
    await run()
    assert.equal((await found(id)).state, 'done')
    const says = await shown(path(`/${id}`))
    assert.include(says, 'It does not help to send it again, so these are left out.')
    assert.include(says, 'Send again to this one')
    assert.include(says, 'Send again to the 2 who have not read it')
    assert.include(says, 'Send again to those without a reply (2 received it)')
    assert.include(wordsOf((await again(id, 'failed')).text), 'The draft has 1 recipient.')
    const before = (await done(console.storage.batches.list(console.workspace, { limit: 10 }))).items.length
    const none = await again(id, 'unsent')
    assert.include(wordsOf(none.text), 'Postern made no draft, because it may send to none of them')
    const after = (await done(console.storage.batches.list(console.workspace, { limit: 10 }))).items
    assert.deepEqual([after.length, after[0]?.state], [before + 1, 'canceled'])
    assert.equal((await again(id, 'everybody')).status, 400)
    const viewer = await as('viewer')
    assert.notInclude(await shown(path(`/${id}`), viewer), 'Send again to')
    await done(console.storage.batches.forgetContents(console.clock.at + DAY_MS, 100))
    assert.include(await shown(path(`/${id}`)), 'so it cannot be sent again.')
    assert.include(wordsOf((await again(id, 'failed')).text), 'so it cannot be sent again.')
  })

  it('downloads the results of all lines', async () => {
    const { id } = await draft(LIST)
    const { headers, text } = await console.get(path(`/${id}/results.csv`), developer)
    assert.match(String(headers['content-type']), /^text\/csv/)
    assert.match(text, /\r\n2,4915123456789,waiting,/)
    assert.match(text, /\r\n4,.*,left_out,invalid_phone_number,/)
  })

  it('shows people who may only look neither a form nor a button', async () => {
    const { id } = await draft(LIST)
    const viewer = await as('viewer')
    assert.include(await shown(path(`/${id}`), viewer), 'This batch is a draft. An owner or a developer')
    await confirm(id, '150000')
    const { text } = await console.get(path(`/${id}`), viewer)
    assert.notMatch(text, /<form[^>]*action="[^"]*batches/)
    assert.include(text, 'Download results')
    assert.notInclude((await console.get(path(), viewer)).text, 'New batch')
  })
})
