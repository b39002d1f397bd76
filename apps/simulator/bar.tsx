import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'

/** A page of the simulator. */
export type PageName = 'phone' | 'log' | 'apps'

/** The bar at the top of every page: the product, and the links to the pages. */
export const Bar = ({ current, phone = '/_simulator' }: {
  readonly current: PageName
  /** The address of the phone, such as with the shown customers. */
  readonly phone?: string
}): VNode => (
  <header class="bar">
    <p class="product">
      <svg class="logo" viewBox="0 0 24 24" width={22} height={22} aria-hidden="true">
        <rect width={24} height={24} rx={5} /><path d="M7 18v-7a5 5 0 0 1 10 0v7" />
      </svg>
      Postern simulator
    </p>
    <nav aria-label="Pages">
      <a href={phone} {...(current === 'phone' && { 'aria-current': 'page' })}>Phone</a>
      <a href="/_simulator/log" {...(current === 'log' && { 'aria-current': 'page' })}>Log</a>
      <a href="/_simulator/apps" {...(current === 'apps' && { 'aria-current': 'page' })}>Apps</a>
    </nav>
  </header>
)

/** The same bar as HTML. */
export const barHtml = (current: PageName): string => render(<Bar current={current} />)
