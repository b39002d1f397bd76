import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import type { CustomerId } from '../../../core/customers/customer.js'
import { closesAt, isOpen } from '../../../core/customers/window.js'
import { formatMicros } from '../../../core/kernel/money.js'
import { HOUR_MS, type Instant, MINUTE_MS } from '../../../core/kernel/time.js'
import { MAX_TEXT_LENGTH, type MessageId } from '../../../core/messages/message.js'
import type { Quote } from '../../../core/sending/quote.js'
import { previewOf, type TemplateField, templateFields } from '../../../core/templates/parts.js'
import { isSendable, type TemplateRecord } from '../../../core/templates/template.js'
import { Facts, TextField } from '../form-parts.js'
import { Amount, Problem } from '../parts.js'
import { TEXTS } from '../texts.js'
import { Preview } from './preview.js'
import { curlOf, type FormMessage, type SendForm } from './send-form.js'

const { send: texts } = TEXTS

/** The first step: to whom, and a text or a template. */
export const Choose = ({ base, templates, form, problem }: {
  readonly base: string; readonly templates: ReadonlyArray<TemplateRecord>; readonly form: SendForm; readonly problem: string | undefined
}): VNode => {
  const sendable = templates.filter(isSendable)
  const isTemplate = form['what'] === 'template'
  return (
    <>
      <Problem sentence={problem} />
      <form method="post" action={`${base}/send/compose`}>
        <TextField id="to" label={texts.to} hint={texts.toHint} value={form['to'] ?? ''} maxLength={150} />
        <fieldset>
          <legend>{texts.what}</legend>
          <div class="option"><input type="radio" id="what-text" name="what" value="text" checked={!isTemplate} /><label for="what-text">{texts.text}</label><span class="hint">{texts.textHint}</span></div>
          <div class="option"><input type="radio" id="what-template" name="what" value="template" checked={isTemplate} /><label for="what-template">{texts.template}</label><span class="hint">{texts.templateHint}</span></div>
        </fieldset>
        {sendable.length === 0 ? <p class="soft">{texts.noTemplates} <a href={`${base}/templates`}>{texts.seeTemplates}</a></p> : (
          <div>
            <label for="template">{texts.template}</label>
            <select id="template" name="template">
              <option value="">{texts.choose}</option>
              {sendable.map(({ name, language }) => {
                const value = `${language} ${name}`
                return <option key={value} value={value} selected={form['template'] === value}>{`${name} (${language})`}</option>
              })}
            </select>
          </div>
        )}
        <button>{texts.next}</button>
      </form>
    </>
  )
}

/** The second step: the text, or what fills the template. */
export const Compose = ({ path, to, template, form, lastInbound, now, problem }: {
  readonly path: string; readonly to: CustomerId; readonly template: TemplateRecord | undefined; readonly form: SendForm
  readonly lastInbound: O.Option<Instant>; readonly now: Instant; readonly problem: string | undefined
}): VNode => {
  const windowIsOpen = isOpen(now, lastInbound)
  return (
    <>
      <Problem sentence={problem} />
      <Facts facts={[[texts.to, <code>{to}</code>]]} />
      {windowIsOpen && O.isSome(lastInbound) && <p class="note">{texts.windowOpen(timeLeft(closesAt(lastInbound.value) - now))}</p>}
      {!windowIsOpen && template === undefined && <p class="note bad">{texts.windowClosed}</p>}
      <form method="post" action={`${path}/check`}>
        <Hidden form={form} names={['to', 'what', 'template']} />
        {template === undefined
          ? (
              <div>
                <label for="text">{texts.message}</label>
                <div class="hint" id="text-hint">{texts.upTo(MAX_TEXT_LENGTH)}</div>
                <textarea id="text" name="text" required maxLength={MAX_TEXT_LENGTH} aria-describedby="text-hint">{form['text'] ?? ''}</textarea>
              </div>
            )
          : <Filling template={template} form={form} />}
        <button>{texts.check}</button>
        <button class="plain" formAction={path} formNoValidate>{texts.startAgain}</button>
      </form>
    </>
  )
}

const timeLeft = (ms: number): string => texts.hoursAndMinutes(Math.floor(ms / HOUR_MS), Math.floor((ms % HOUR_MS) / MINUTE_MS))

const Filling = ({ template, form }: { readonly template: TemplateRecord; readonly form: SendForm }): VNode => {
  const fields = templateFields(template)
  return (
    <>
      <Preview preview={previewOf(template, undefined)} />
      <fieldset>
        <legend>{texts.filled}</legend>
        {fields === undefined && <p>{texts.cannotFill}</p>}
        {fields?.length === 0 && <p>{texts.nothingToFill}</p>}
        {fields?.map((field) => (
          <TextField
            key={field.id} id={field.id} label={labelOf(field)} value={form[field.id] ?? ''} required={field.isRequired} maxLength={2048}
            hint={field.isRequired ? undefined : texts.optional}
          />
        ))}
      </fieldset>
    </>
  )
}

const labelOf = ({ placeholder: { component, button, card, index, name, type }, part }: TemplateField): string => {
  const variable = name ?? index
  const value = part ?? type
  return [
    ...(card === undefined ? [] : [`${texts.parts.card} ${card + 1}`]),
    [texts.parts[component], ...(button === undefined ? [] : [button + 1])].join(' '),
    variable === undefined ? nameOfValue(value) : `{{${variable}}}`,
  ].join(', ')
}

const nameOfValue = (value: string): string => (isKnownValue(value) ? texts.values[value] : value)

const isKnownValue = (value: string): value is keyof typeof texts.values => Object.hasOwn(texts.values, value)

/** The third step: what would be sent, what it costs, and the button. */
export const Check = ({ path, base, message, form, origin, quote, formKey, problem, sentAs, maySend }: {
  readonly path: string; readonly base: string; readonly message: FormMessage; readonly form: SendForm; readonly origin: string | undefined; readonly quote: Quote | undefined
  readonly formKey: string; readonly problem: string | undefined; readonly sentAs: MessageId | undefined; readonly maySend: boolean
}): VNode => {
  const names = Object.keys(form).filter((name) => ['to', 'what', 'template', 'text'].includes(name) || name.startsWith('fill-'))
  return (
    <>
      <Problem sentence={problem} />
      {sentAs !== undefined && <p><a class="button" href={`${base}/messages/${sentAs}`}>{texts.seeMessage}</a></p>}
      <h2>{texts.preview}</h2>
      {message._tag === 'Text' ? <div class="bubble"><p>{message.text}</p></div> : quote?.preview !== undefined && <Preview preview={quote.preview} />}
      <Facts facts={[
        [texts.to, <code>{message.to}</code>],
        ...(quote === undefined ? [] : [
          [texts.price, <Amount micros={quote.price.micros} currency={quote.price.currency} />], [texts.category, quote.price.category.replaceAll('_', ' ')],
          ...(quote.price.market === undefined ? [] : [[texts.market, quote.price.market === 'default' ? TEXTS.templates.everyOther : `+${quote.price.market}`] as const]),
          [texts.available, <Amount micros={quote.available} currency={quote.price.currency} />],
          [texts.after, <Amount micros={quote.available - quote.price.micros} currency={quote.price.currency} />],
        ] as const),
      ]} />
      <form method="post" action={`${path}/confirm`}>
        <Hidden form={form} names={names} />
        <input type="hidden" name="key" value={formKey} />
        {maySend && quote !== undefined && <button>{texts.confirm(formatMicros(quote.price.micros), quote.price.currency)}</button>}
        <button class="plain" formAction={`${path}/compose`}>{texts.change}</button>
      </form>
      <h2>{texts.curl}</h2>
      <p class="hint">{texts.curlHint}</p>
      {origin === undefined && <p class="hint">{texts.noAddress}</p>}
      <pre class="secret" tabindex={0}>{curlOf(message, origin)}</pre>
    </>
  )
}

const Hidden = ({ form, names }: { readonly form: SendForm; readonly names: ReadonlyArray<string> }): VNode =>
  <>{names.map((name) => <input key={name} type="hidden" name={name} value={form[name] ?? ''} />)}</>

/** The end: the way to the message. */
export const SentPage = ({ base, message }: { readonly base: string; readonly message: MessageId }): VNode => (
  <>
    <p class="note" role="status">{texts.sentSentence}</p>
    <p><code>{message}</code></p>
    <p><a class="button" href={`${base}/messages/${message}`}>{texts.seeMessage}</a> <a class="button plain" href={`${base}/send`}>{texts.another}</a></p>
  </>
)
