import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import { type Setup as Done, SETUP_STEPS, type SetupStep } from '../../../../core/overview.js'
import type { InWorkspace } from '../../page.js'
import { OPEN_PANEL, State } from '../../parts.js'
import { TEXTS } from '../../texts.js'

const { setup: texts } = TEXTS

/** The page of each step. */
const ENDS: Readonly<Record<SetupStep, string>> = {
  sender: `/sender?${OPEN_PANEL}`, money: `/wallet?${OPEN_PANEL}`, key: `/keys?${OPEN_PANEL}`, webhook: '/sender', message: '/send',
}

/** The remaining steps before a first message can reach a customer; empty once all are done. */
export const Setup = ({ page: { request: { path }, signedIn: { principal }, workspace }, setup }: {
  readonly page: InWorkspace
  readonly setup: Done
}): VNode | null => {
  const done = SETUP_STEPS.filter((step) => setup[step]).length
  if (done === SETUP_STEPS.length) return null
  const mayAddMoney = isAllowed(principal, 'wallet.top_up', workspace)
  return (
    <section class="card setup" aria-labelledby="setup-heading">
      <h2 id="setup-heading">{texts.title} <span class="soft">{texts.done(done, SETUP_STEPS.length)}</span></h2>
      <ol>
        {SETUP_STEPS.map((step) => (
          <li key={step}>
            <State text={setup[step] ? texts.isDone : texts.isOpen} tone={setup[step] ? 'good' : 'quiet'} />
            <div>
              {setup[step] || (step === 'money' && !mayAddMoney)
                ? <strong>{texts.steps[step].title}</strong>
                : <a href={`${path}${ENDS[step]}`}>{texts.steps[step].title}</a>}
              {!setup[step] && <p class="hint">{step === 'money' && !mayAddMoney ? texts.askOperator : texts.steps[step].todo}</p>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}
