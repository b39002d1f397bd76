import type { ComponentChildren, VNode } from 'preact'
import { MAGIC_PREFIX } from '../faults/faults.js'
import type { SimulatorState } from '../state.js'
import { ANSWERS, chosenOf, type FaultChoice, STATUSES } from './acts.js'
import { addressOf, businessesOf, customersOf, type View } from './view.js'

/** The context of every form of the page: the view, and whose phone the form is in. */
export type Place = { readonly view: View; readonly customer?: string }

/** A form for one action. Without scripts it loads the page again; with scripts, only the changed parts are replaced. */
export const ActForm = ({ act, place: { view, customer }, hasFile = false, children, class: className }: {
  readonly act: string
  readonly place: Place
  readonly hasFile?: boolean
  readonly class?: string
  readonly children: ComponentChildren
}): VNode => {
  const address = addressOf(`/_simulator/phone/${act}`, view)
  return (
    <form
      class={className} method="post" action={address} {...(hasFile && { enctype: 'multipart/form-data' as const })} {...postsTo(address)}
    >
      <input type="hidden" name="business" value={view.business} />
      {customer !== undefined && <input type="hidden" name="customer" value={customer} />}
      {children}
    </form>
  )
}

/** Attributes of htmx, which are missing from the types of elements. */
const postsTo = (address: string): object => ({ 'hx-post': address, 'hx-target': '#app', 'hx-swap': 'innerMorph' })

/** A choice between several values. */
export const Choice = ({ id, name, label, options, chosen }: {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly options: ReadonlyArray<readonly [value: string, label: string]>
  readonly chosen?: string
}): VNode => (
  <div>
    <label for={id}>{label}</label>
    <select id={id} name={name}>
      {options.map(([value, text]) => <option key={value} value={value} selected={value === chosen}>{text}</option>)}
    </select>
  </div>
)

/** A line of text with a label. */
export const Line = ({ id, name, label, value, maxLength, isTel = false }: {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly maxLength: number
  readonly isTel?: boolean
}): VNode => (
  <div>
    <label for={id}>{label}</label>
    <input
      id={id} name={name} value={value} maxlength={maxLength} autocomplete="off" required {...(isTel && { inputmode: 'tel' as const })}
    />
  </div>
)

const NAMES = ['Ada', 'Basile', 'Chloé', 'Diego', 'Elif', 'Farid', 'Greta', 'Hugo', 'Inès', 'Jonas', 'Kaja', 'Lina']
const FIRST_NUMBER = 910
const MAX_NAMES = 50

/** The settings for all phones: the platform's behaviour, another phone, the time, and the business number. */
export const Panel = ({ state, view, hasPhones }: {
  readonly state: SimulatorState; readonly view: View
  /** If there are no phones, the form for the first one is in the place where the phone will be. */
  readonly hasPhones: boolean
}): VNode => {
  const settings = state.settings()
  const [answer, statuses] = [chosenOf(ANSWERS, settings), chosenOf(STATUSES, settings)]
  const isFaulty = answer !== 'usual' || statuses !== 'usual'
  return (
    <div class="panel">
      <section aria-labelledby="faults-title" class={isFaulty ? 'card faulty' : 'card'}>
        <h2 id="faults-title">Make the platform fail</h2>
        <ActForm act="faults" place={{ view }}>
          <Choice id="answer" name="answer" label="When the business sends, the platform" options={optionsOf(ANSWERS)} chosen={answer} />
          <Choice id="statuses" name="statuses" label="Ticks that the business gets" options={optionsOf(STATUSES)} chosen={statuses} />
          <button class="plain">Apply</button>
        </ActForm>
        {isFaulty && (
          <p class="soft">The platform is failing on purpose. Numbers that begin with {MAGIC_PREFIX} have faults of their own.</p>
        )}
      </section>
      {hasPhones && (
        <section aria-labelledby="add-title" class="card">
          <h2 id="add-title">Another customer</h2>
          <AddForm state={state} view={view} />
        </section>
      )}
      <section aria-labelledby="skip-title" class="card">
        <h2 id="skip-title">Time</h2>
        <p class="soft">
          A day later every window is closed, and the business needs a template.{!state.isSkipTold && ' A gateway goes by its own clock: only the simulator\'s windows close.'}
        </p>
        <ActForm act="skip" place={{ view }}><button class="plain">Skip 24 hours</button></ActForm>
      </section>
      <Others state={state} view={view} />
    </div>
  )
}

/** A form that adds a phone, with an unused name and number. */
export const AddForm = ({ state, view }: { readonly state: SimulatorState; readonly view: View }): VNode => {
  const { name, number } = freePerson(state)
  return (
    <ActForm act="add" place={{ view }}>
      <Line id="add-name" name="name" label="Name" value={name} maxLength={60} />
      <Line id="add-number" name="number" label="Number" value={number} maxLength={24} isTel />
      <button class="plain">Add the phone</button>
    </ActForm>
  )
}

const optionsOf = (choices: ReadonlyArray<FaultChoice>) => choices.map(({ id, label }) => [id, label] as const)

const freePerson = ({ customers, people }: SimulatorState): { readonly name: string; readonly number: string } => {
  const all = customers.all()
  const taken = new Set(all.map(({ number }) => number))
  const names = new Set(all.map(({ key }) => people.nameOf(key)))
  let last = FIRST_NUMBER
  while (taken.has(`${MAGIC_PREFIX}${last}`)) last += 1
  return { name: NAMES.find((name) => !names.has(name)) ?? 'Another', number: `+${MAGIC_PREFIX}${last}` }
}

/** Phones and business numbers that are not shown now. */
const Others = ({ state, view }: { readonly state: SimulatorState; readonly view: View }): VNode | null => {
  const [customers, businesses] = [customersOf(state, view).slice(-MAX_NAMES), businessesOf(state, view)]
  if (customers.length < 2 && businesses.length < 2) return null
  return (
    <nav aria-label="What is shown" class="card">
      {customers.length > 1 && (
        <>
          <h2>Show</h2>
          <ul class="names">
            <li>
              <a
                href={addressOf('/_simulator', { ...view, customers: [] })} aria-current={view.customers.length === 0 ? 'page' : undefined}
              >the latest phones</a>
            </li>
            {customers.map(({ key, number, username }) => (
              <li key={key}>
                <a
                  href={addressOf('/_simulator', { ...view, customers: [key] })}
                  aria-current={view.customers.includes(key) ? 'page' : undefined}
                >
                  {state.people.isKnown(key) ? state.people.nameOf(key)
                    : number === undefined ? username ?? 'without a number'
                    : `+${number}`}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      {businesses.length > 1 && (
        <>
          <h2>Business number</h2>
          <ul class="names">
            {businesses.map((business) => (
              <li key={business}>
                <a
                  href={addressOf('/_simulator', { business, isPinned: true, customers: [] })}
                  aria-current={business === view.business ? 'page' : undefined}
                >{business}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </nav>
  )
}
