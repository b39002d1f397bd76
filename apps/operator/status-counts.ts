import type { TemplateRecord } from '../../core/templates/template.js'

/** How many templates there are, and of each status: `3 templates (2 approved, 1 paused)`. */
export const statusCounts = (templates: ReadonlyArray<TemplateRecord>): string => {
  const counts = new Map<string, number>()
  for (const { status } of templates) counts.set(status, (counts.get(status) ?? 0) + 1)
  const each = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([status, count]) => `${count} ${status}`)
  return `${templates.length === 1 ? 'one template' : `${templates.length} templates`}${each.length === 0 ? '' : ` (${each.join(', ')})`}`
}
