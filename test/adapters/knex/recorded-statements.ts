import type { Binding, Queryable } from '../../../adapters/knex/engine/sql.js'

/** Notes which statements run: what each does, and with which table. */
export class Recorded implements Queryable {
  readonly statements: string[] = []
  constructor(private readonly inner: Queryable) {}

  select(sql: string, values: ReadonlyArray<Binding>): ReturnType<Queryable['select']> {
    this.note(sql)
    return this.inner.select(sql, values)
  }

  execute(sql: string, values: ReadonlyArray<Binding>): Promise<number> {
    this.note(sql)
    return this.inner.execute(sql, values)
  }

  executeEach(sql: string, rows: ReadonlyArray<ReadonlyArray<Binding>>): Promise<number> {
    this.note(sql)
    return this.inner.executeEach(sql, rows)
  }

  writeEach(sql: string, rows: ReadonlyArray<ReadonlyArray<Binding>>, conflict?: string): Promise<void> {
    this.note(sql)
    return this.inner.writeEach(sql, rows, conflict)
  }

  private note(sql: string): void {
    const table = /\b(?:FROM|INTO|UPDATE) (wallets|holds|wallet_entries|key_spending)\b/.exec(sql)?.[1]
    this.statements.push(`${/^(?:WITH .*?\) )?(SELECT|INSERT|UPDATE)/.exec(sql)?.[1]} ${table}`)
  }
}
