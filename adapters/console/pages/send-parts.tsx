import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import { closesAt, isOpen } from '../../../core/customers/window.js'
import { HOUR_MS, type Instant, MINUTE_MS } from '../../../core/kernel/time.js'
import type { MessageId } from '../../../core/messages/message.js'
import type { Quote } from '../../../core/sending/quote.js'
import { isSendable, type TemplateRecord } from '../../../core/templates/template.js'
import { writeMoney } from '../money.js'
import { ChoiceField, Facts, Fault, Field, Id, LinesField, Money, Problem } from '../parts.js'
import { TEXTS } from '../texts.js'
import { Preview } from './preview.js'
import { type Chosen, type Faults, type FormField, kindIn, KINDS_BY_NAME, type SendForm, type Written } from './send-form.js'

const { send: texts } = TEXTS

/** The first step: to whom, and what. */
export const Choose = ({ base, templates, form, faults }: {
  readonly base: string; readonly templates: ReadonlyArray<TemplateRecord>; readonly form: SendForm; readonly faults: Faults
}): VNode => (
  <form method="post" action={`${base}/send/compose`}>
    <Field id="to" label={texts.to} hint={texts.toHint} value={form['to'] ?? ''} maxLength={150} fault={faults['to']} />
    <fieldset>
      <legend>{texts.what}</legend>
      {[...KINDS_BY_NAME].map(([name, kind]) => (
        <div class="option" key={name}>
          <input type="radio" id={`what-${name}`} name="what" value={name} checked={kind === kindIn(form)} /><label for={`what-${name}`}>{kind.label}</label><span class="hint">{kind.hint}</span>
        </div>
      ))}
    </fieldset>
    <ChooseTemplate base={base} templates={templates.filter(isSendable)} chosen={form['template']} fault={faults['template']} />
    <button>{texts.next}</button>
  </form>
)

const ChooseTemplate = ({ base, templates, chosen, fault }: {
  readonly base: string; readonly templates: ReadonlyArray<TemplateRecord>; readonly chosen: string | undefined; readonly fault: string | undefined
}): VNode => (
  <>
    {templates.length === 0 ? <p class="soft">{texts.noTemplates} <a href={`${base}/templates`}>{texts.seeTemplates}</a></p> : (
      <ChoiceField id="template" label={texts.template} fault={fault}>
        <option value="">{texts.choose}</option>
        {templates.map(({ name, language }) => {
          const value = `${language} ${name}`
          return <option key={value} value={value} selected={chosen === value}>{`${name} (${language})`}</option>
        })}
      </ChoiceField>
    )}
    {templates.length === 0 && <Fault id="template" sentence={fault} />}
  </>
)

/** The second step: the fields of the message. */
export const Compose = ({ path, chosen: { to, form }, typed, lastInbound, now, faults }: {
  readonly path: string; readonly chosen: Chosen; readonly typed: SendForm; readonly lastInbound: O.Option<Instant>; readonly now: Instant; readonly faults: Faults
}): VNode => {
  const windowIsOpen = isOpen(now, lastInbound)
  const fields = form.fields.map((field) => <Typed key={field.name} field={field} value={typed[field.name] ?? ''} fault={faults[field.name]} />)
  return (
    <>
      <Facts facts={[[texts.to, <code>{to}</code>]]} />
      {windowIsOpen && O.isSome(lastInbound) && <p class="note">{texts.windowOpen(timeLeft(closesAt(lastInbound.value) - now))}</p>}
      {!windowIsOpen && form.needsWindow && <p class="note bad">{texts.windowClosed}</p>}
      <form method="post" action={`${path}/check`}>
        <Hidden form={typed} names={FIRST_STEP} />
        {form.pattern !== undefined && <Preview preview={form.pattern} />}
        {form.legend === undefined ? fields : <fieldset><legend>{form.legend}</legend>{form.note !== undefined && <p>{form.note}</p>}{fields}</fieldset>}
        <button>{texts.check}</button>
        <button class="plain" formAction={path} formNoValidate>{texts.startAgain}</button>
      </form>
    </>
  )
}

const timeLeft = (ms: number): string => texts.hoursAndMinutes(Math.floor(ms / HOUR_MS), Math.floor((ms % HOUR_MS) / MINUTE_MS))

/** No number that is in its limits is longer. */
const NUMBER_LENGTH = 32

const Typed = ({ field, value, fault }: { readonly field: FormField; readonly value: string; readonly fault: string | undefined }): VNode => {
  const { name: id, label, hint, isRequired: required } = field
  const asked = { id, label, hint, required, value, fault }
  return field.input === 'lines' ? <LinesField {...asked} maxLength={field.maxLength} /> : <Field {...asked} maxLength={field.input === 'number' ? NUMBER_LENGTH : field.maxLength} />
}

/** The third step: what would be sent, what it costs, and the button. */
export const Check = ({ path, base, chosen: { to, form }, written: { request, ...written }, typed, origin, quote, formKey, problem, sentAs, maySend }: {
  readonly path: string; readonly base: string; readonly chosen: Chosen; readonly written: Written; readonly typed: SendForm; readonly origin: string | undefined
  readonly quote: Quote | undefined; readonly formKey: string; readonly problem: string | undefined; readonly sentAs: MessageId | undefined; readonly maySend: boolean
}): VNode => {
  const preview = written.preview ?? quote?.preview
  const names = [...FIRST_STEP, ...form.fields.map(({ name }) => name)].filter((name) => typed[name] !== undefined)
  return (
    <>
      <Problem sentence={problem} />
      {sentAs !== undefined && <p><a class="button" href={`${base}/messages/${sentAs}`}>{texts.seeMessage}</a></p>}
      {preview !== undefined && <><h2>{texts.preview}</h2><Preview preview={preview} /></>}
      <Facts facts={[
        [texts.to, <code>{to}</code>],
        ...(quote === undefined ? [] : [
          [texts.price, <Money micros={quote.price.micros} currency={quote.price.currency} />], [texts.category, quote.price.category.replaceAll('_', ' ')],
          ...(quote.price.market === undefined ? [] : [[texts.market, quote.price.market === 'default' ? TEXTS.templates.everyOther : `+${quote.price.market}`] as const]),
          [texts.available, <Money micros={quote.available} currency={quote.price.currency} />],
          [texts.after, <Money micros={quote.available - quote.price.micros} currency={quote.price.currency} />],
        ] as const),
      ]} />
      <form method="post" action={`${path}/confirm`}>
        <Hidden form={typed} names={names} />
        <input type="hidden" name="key" value={formKey} />
        {maySend && quote !== undefined && <button>{texts.confirm(writeMoney(quote.price.micros, quote.price.currency))}</button>}
        <button class="plain" formAction={`${path}/compose`}>{texts.change}</button>
      </form>
      {request !== undefined && (
        <>
          <h2>{texts.curl}</h2>
          <p class="hint">{texts.curlHint}</p>
          {origin === undefined && <p class="hint">{texts.noAddress}</p>}
          <pre class="secret" tabindex={0}>{curlOf(request, origin)}</pre>
        </>
      )}
    </>
  )
}

/** A request of the API as a command of a shell; the key is a variable of it, and so is an address that is not known. */
const curlOf = ({ operation, body }: NonNullable<Written['request']>, origin: string | undefined): string => {
  const path = `/v1/messages/${operation}`
  return [
    `curl ${origin === undefined ? `"$POSTERN_URL${path}"` : quoted(origin + path)}`, '-H "Authorization: Bearer $POSTERN_KEY"', "-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The names of the fields of the first step. */
const FIRST_STEP = ['to', 'what', 'template']

const Hidden = ({ form, names }: { readonly form: SendForm; readonly names: ReadonlyArray<string> }): VNode =>
  <>{names.map((name) => <input key={name} type="hidden" name={name} value={form[name] ?? ''} />)}</>

/** The end: the way to the message. */
export const SentPage = ({ base, message }: { readonly base: string; readonly message: MessageId }): VNode => (
  <>
    <p class="note" role="status">{texts.sentSentence}</p>
    <p><Id of={message} isWhole /></p>
    <p><a class="button" href={`${base}/messages/${message}`}>{texts.seeMessage}</a> <a class="button plain" href={`${base}/send`}>{texts.another}</a></p>
  </>
)
