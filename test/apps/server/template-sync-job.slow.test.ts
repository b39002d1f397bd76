// Slow: runs three processes.
import { assert } from 'chai'
import { senderIdOf } from '../../../core/senders/sender.js'
import { fundedWorkspace } from '../../support/account.js'
import { eventually } from '../../support/eventually.js'
import { startProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'

/** The simulator's business account. */
const ACCOUNT = '200000000000001'

/** How long processes may take to start and read on a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000

describe('The catalogue of a gateway', () => {
  it('is read by one of several workers', async () => {
    await using fixture = await startProcessFixture()
    const { storage } = fixture
    // SQLite answers a process in turn, and the gateway asked it for senders before it was asked whether it is ready.
    assert.equal((await fetch(`${fixture.server().url}/health/ready`)).status, 200)
    const workspace = await fundedWorkspace(storage, 0n)
    rightOf(
      await storage.senders.assign(workspace, { phoneNumberId: senderIdOf('1000001'), accessToken: 'token', businessAccountId: ACCOUNT }),
    )
    const server = await fixture.start({ WORKERS: '3' })
    const count = (event: string): number => server.log().filter(({ msg }) => msg === event).length
    await server.logged('listening', 3)
    await eventually(
      'a template', async () => rightOf(await storage.templateCatalogue.find(ACCOUNT, 'order_update')).templates[0], PATIENCE_MS,
    )
    server.signal('SIGTERM')
    assert.equal((await server.ended).status, 0)
    assert.equal(count('templates_synced'), 1)
  })
})
