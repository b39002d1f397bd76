import { assert } from 'chai'
import { currentDays, inZone, parseDay, parseMoment, typedMoment, zoneOf } from '../../../adapters/console/zone.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import { cookieOf, openConsole } from './browser.js'

describe('the time zone of a page', () => {
  it('is the one that the browser names, and UTC if it names none that there is', () => {
    for (const named of ['Europe/Berlin', 'europe/BERLIN']) assert.equal(zoneOf({ cookie: `a=b; postern_zone=${named}` }), 'Europe/Berlin')
    for (const cookie of ['', 'postern_zone=Nowhere/None', 'postern_zone=<b>', 'xpostern_zone=Australia/Adelaide']) {
      assert.equal(zoneOf({ cookie }), 'UTC')
    }
  })

  it('has days of 23 and 25 hours, and reads what its own fields show', () => {
    inZone('Europe/Berlin', () => {
      for (const [day, hours] of [['2026-03-29', 23], ['2026-10-25', 25], ['2026-11-26', 24]] as const) {
        const read = parseDay(day)
        assert.equal(((read?.to ?? 0) - (read?.from ?? 0)) / HOUR_MS, hours)
        assert.equal(currentDays().startOf((read?.to ?? 0) - 1), read?.from)
      }
      const at = Date.UTC(2026, 10, 26, 20)
      assert.deepEqual([typedMoment(at), parseMoment('2026-11-26T21:00'), parseMoment('2026-11-26T20:00Z')], ['2026-11-26T21:00', at, at])
      assert.equal((parseDay('2026-10-01Z')?.from ?? 0), Date.UTC(2026, 9, 1))
    })
  })

  it('has no day that its month does not have', () => {
    for (const day of ['2026-02-29', '2026-02-31', '2026-04-31', '2026-13-01', '2026-00-10']) {
      assert.isUndefined(parseDay(day), day)
      for (const text of [day, `${day}Z`, `${day}T09:30`]) assert.isUndefined(parseMoment(text), text)
    }
    assert.equal(parseMoment('2028-02-29Z'), Date.UTC(2028, 1, 29))
  })

  it('is the one that the person chose, before that of the browser', async () => {
    assert.equal(zoneOf({ cookie: 'postern_zone=Europe/Berlin; postern_chosen_zone=Australia/Adelaide' }), 'Australia/Adelaide')
    assert.equal(zoneOf({ cookie: 'postern_chosen_zone=Nowhere/None; postern_zone=Europe/Berlin' }), 'Europe/Berlin')
    const console = await openConsole()
    try {
      const session = `postern_session=${(await console.join('ann@example.com')).token}; postern_zone=Europe/Berlin`
      const choose = (zone: string) => console.post('/console/account/zone', { zone }, session)
      const chosen = await choose('Australia/Adelaide')
      assert.equal(chosen.status, 303)
      const { text } = await console.get('/console/account', `${session}; ${cookieOf(chosen)}`)
      assert.include(text, 'Times: Australia/Adelaide')
      assert.match(text, /<option value="Australia\/Adelaide" selected/)
      assert.match((await choose('browser')).cookies.join(), /^postern_chosen_zone=; Path=\/; Max-Age=0/)
      assert.include((await console.get('/console/account', session)).text, 'Times: Europe/Berlin')
      assert.equal((await choose('Nowhere/None')).status, 400)
    } finally {
      await console.close()
    }
  })

  it('is that of the list, of its filter and of its fields, and is named', async () => {
    const console = await openConsole()
    try {
      const { token } = await console.join('ann@example.com')
      const get = (path: string, zone: string) =>
        console.send('GET', `/console/workspaces/${console.workspace}${path}`, { headers: { Cookie: `postern_session=${token}; postern_zone=${zone}` } })
      const { text } = await get('/messages?from=2026-11-26T20:00Z', 'Australia/Adelaide')
      assert.include(text, 'Times: Australia/Adelaide')
      assert.include(text, 'value="2026-11-27T06:30"')
      assert.include((await get('?range=30d', 'Australia/Adelaide')).text, 'Times: Australia/Adelaide')
      assert.include((await get('/wallet/months/2026-11', 'Australia/Adelaide')).text, 'Times: UTC')
    } finally {
      await console.close()
    }
  })
})
