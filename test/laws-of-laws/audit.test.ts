import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Ledger } from '../../core/money/ledger.js'
import { openAuditFixture } from '../adapters/memory/memory-fixture.js'
import { type AuditFixture, auditLaws } from '../laws/audit.js'
import { noting, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (ledger: Ledger) => Partial<Ledger>) => async (): Promise<AuditFixture> => {
  const fixture = await openAuditFixture()
  return { ...fixture, ledger: { ...fixture.ledger, ...defect(fixture.ledger) } }
}

const OFF_BY_ONE = 'an audit finds a workspace whose books are off by one micro, and says how'
const CAPTURE = 'an audit finds a captured hold that differs from its entry by one micro'

describeMutations('the audit', auditLaws, [
  {
    defect: 'finds nothing',
    open: broken(({ audit }) => ({ audit: () => withResult(audit(), ({ workspaces }) => ({ workspaces, broken: [] })) })),
    breaks: [OFF_BY_ONE, CAPTURE],
  },
  { defect: 'does not say what is off', open: broken(({ audit }) => ({
    audit: () => withResult(audit(), (found) => ({ ...found, broken: found.broken.map(({ workspace }) => ({ workspace, fault: '' })) })),
  })), breaks: [OFF_BY_ONE] },
  { defect: 'finds sound books off, too', open: broken(({ topUp, audit }) => {
    const funded: WorkspaceId[] = []
    return {
      topUp: (credit) => noting(topUp(credit), () => void funded.push(credit.workspace)),
      audit: () => withResult(audit(), (found) => ({ ...found, broken: funded.map((workspace) => ({ workspace, fault: 'off' })) })),
    }
  }), breaks: [OFF_BY_ONE] },
])
