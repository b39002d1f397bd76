import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import { ROOT } from '../architecture/tree.js'

/** A query of the dashboard or a rule, and where it stands. */
export type Query = { readonly where: string; readonly expr: string }

type Panel = { readonly title: string; readonly targets?: ReadonlyArray<{ readonly expr: string }> }
type Dashboard = {
  readonly panels: ReadonlyArray<Panel>
  readonly templating: { readonly list: ReadonlyArray<{ readonly name: string; readonly definition?: string }> }
}
type Rules = {
  readonly groups: ReadonlyArray<{
    readonly rules: ReadonlyArray<{ readonly alert: string; readonly expr: string; readonly annotations: Readonly<Record<string, string>> }>
  }>
}

/** The path of the file with the alert rules. */
export const ALERTS = join(ROOT, 'deploy/alerts.yaml')

/** The dashboard, as Grafana reads it. */
export const readDashboard = async (): Promise<Dashboard> =>
  JSON.parse(await readFile(join(ROOT, 'deploy/grafana-dashboard.json'), 'utf8')) as Dashboard

/** The alert rules, as Prometheus reads them. */
export const readRules = async (): Promise<Rules['groups'][number]['rules']> =>
  (parseYaml(await readFile(ALERTS, 'utf8')) as Rules).groups.flatMap(({ rules }) => rules)

/** Every query of the dashboard, with what Grafana puts in place of its variables. */
export const dashboardQueries = async (): Promise<ReadonlyArray<Query>> =>
  (await readDashboard()).panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({
    where: `panel ${title}`,
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$(job|instance)\b/g, '.*'),
  })))

/** The query of every alert. */
export const alertQueries = async (): Promise<ReadonlyArray<Query>> =>
  (await readRules()).map(({ alert, expr }) => ({ where: `alert ${alert}`, expr }))

/** The names of the metrics that a query reads; `up` is Prometheus' own. */
export const metricsIn = (expr: string): ReadonlyArray<string> =>
  Array.from(expr.matchAll(/\b(?:postern|process|nodejs)_\w+/g), ([name]) => name)
