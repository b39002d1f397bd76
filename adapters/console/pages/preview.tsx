import type { VNode } from 'preact'
import type { TemplatePreview } from '../../../core/templates/parts.js'

/** What a customer would read of a message. */
export const Preview = ({ preview: { header, body, footer, buttons } }: { readonly preview: TemplatePreview }): VNode => (
  <div class="bubble">
    {header !== undefined && header !== '' && <p><strong>{header}</strong></p>}
    {body !== undefined && <p>{body}</p>}
    {footer !== undefined && <p class="soft">{footer}</p>}
    {buttons.length > 0 && <ul>{buttons.map((button, index) => <li key={index}>{button}</li>)}</ul>}
  </div>
)
