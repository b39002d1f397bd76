import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type DatabaseHosts, parseDatabaseHosts } from '../../../../adapters/knex/engine/hosts.js'
import { rightOf } from '../../../support/right-of.js'

const parse = (url: string): DatabaseHosts => rightOf(parseDatabaseHosts(url))

describe('The hosts of a database URL', () => {
  it('are tried in the order of the URL, each with its own port and everything else of the URL', () => {
    assert.deepEqual(parse('mysql://user:pw@db1:3306,db2:3307,db3/postern?ssl=x'), {
      mustTakeWrites: true,
      hosts: [
        { name: 'db1:3306', url: 'mysql://user:pw@db1:3306/postern?ssl=x' },
        { name: 'db2:3307', url: 'mysql://user:pw@db2:3307/postern?ssl=x' },
        { name: 'db3', url: 'mysql://user:pw@db3/postern?ssl=x' },
      ],
    })
  })

  it('may be IPv6 addresses in brackets', () => {
    assert.deepEqual(parse('postgres://u@[::1]:5432,[fe80::1]/d').hosts.map(({ name }) => name), ['[::1]:5432', '[fe80::1]'])
  })

  for (const password of ['p,w', 'p%2Cw', 'p%40w', 'p%2Fw,x']) {
    it(`may follow the password ${password}`, () => {
      assert.deepEqual(parse(`postgres://u:${password}@pg1,pg2/d`).hosts.map(({ url }) => url), [
        `postgres://u:${password}@pg1/d`, `postgres://u:${password}@pg2/d`,
      ])
      assert.deepEqual(parse(`postgres://u:${password}@pg1/d`), {
        mustTakeWrites: false, hosts: [{ name: 'pg1', url: `postgres://u:${password}@pg1/d` }],
      })
    })
  }

  it('need not take writes if there is one, unless the URL says so; the driver does not see what it says', () => {
    for (const url of ['mysql://h/d', 'postgres:///d?host=/run/postgresql', 'sqlite:./a,b.db']) assert.isFalse(parse(url).mustTakeWrites)
    for (const wanted of ['read-write', 'primary']) {
      assert.deepEqual(parse(`postgres://h/d?target_session_attrs=${wanted}`), {
        mustTakeWrites: true, hosts: [{ name: 'h', url: 'postgres://h/d' }],
      })
      assert.deepEqual(
        parse(`postgres://g,h/d?sslmode=require&target_session_attrs=${wanted}&x=y`).hosts[1]?.url, 'postgres://h/d?sslmode=require&x=y',
      )
    }
  })

  for (const [url, fault] of [
    ['mysql://u:hunter2@a,,b/d', 'a URL without empty hosts; host 2 is empty'],
    ['mysql://u:hunter2@a,/d', 'a URL without empty hosts; host 2 is empty'],
    ['mysql://u:hunter2@a,:3306/d', /host 2 is neither$/],
    ['mysql://u:hunter2@a, b/d', /host 2 is neither$/],
    ['postgres://u:hunter2@::1,b/d', /host 1 is neither$/],
    ['mysql://u:hunter2@a:0,b/d', /that of host 1 is not$/],
    ['mysql://u:hunter2@a,b:65536/d', /that of host 2 is not$/],
    ['mysql://u:hunter2@a,b:/d', /that of host 2 is not$/],
    ['mysql://u:hunter2@a,b:33x/d', /that of host 2 is not$/],
    ['mysql://u:hunter2@a,b,A/d', 'a URL whose hosts are all different; hosts 1 and 3 are the same'],
    ['mysql://u:hunter2@a:3306,a/d', 'a URL whose hosts are all different; hosts 1 and 2 are the same'],
    ['postgres://u:hunter2@a,postgres://u:hunter2@b/d', 'one URL, with commas between its hosts; it is several URLs'],
    ['mysql://u:hunter2@a/d,mysql://u:hunter2@b/d', 'one URL, with commas between its hosts; it is several URLs'],
    ['mysql://u:hunt@r2@a,b/d', /^a URL whose password is percent-encoded/],
    ['mysql://u:hunter2,x/y@a,b/d', /^a URL whose password is percent-encoded/],
    ['postgres://u:hunter2@a,b/d?target_session_attrs=standby', /^a URL whose target_session_attrs is read-write or primary/],
    ['postgres://u:hunter2@a/d?target_session_attrs=any', /^a URL whose target_session_attrs is read-write or primary/],
  ] as const) {
    it(`are refused in ${url}, without its password`, () => {
      const parsed = parseDatabaseHosts(url)
      if (E.isRight(parsed)) throw new Error('it was taken')
      if (typeof fault === 'string') assert.equal(parsed.left, fault)
      else assert.match(parsed.left, fault)
      assert.notMatch(parsed.left, /hunt/)
    })
  }
})
