import { createServer } from 'node:http'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { routesOf } from '../../../adapters/koa/http-app.js'
import { bodyLimits } from '../../../adapters/koa/raw-body.js'
import { type CallerKind, makeHandler } from '../../../adapters/koa/pipeline.js'
import { jsonReply, notFound } from '../../../adapters/koa/reply.js'
import { noteApp } from '../../../adapters/koa/request.js'
import { isAllowed } from '../../../core/access/access.js'
import type { MemberPrincipal } from '../../../core/kernel/actor.js'
import { memberIdOf } from '../../../core/kernel/ids.js'
import Koa from 'koa'
import { listening } from '../../support/listening.js'

const MEMBER: MemberPrincipal = {
  _tag: 'Member', member: memberIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d'), email: 'ada@shop.example', isOperator: true, roles: new Map(),
}

/** Callers that are not API keys of a workspace: operators, and members who are none. */
const OPERATORS: CallerKind<object, MemberPrincipal, { readonly email: string }> = {
  makeAuthenticate: () => (ctx) => {
    const key = ctx.get('Authorization')
    const caller = { ...MEMBER, isOperator: key === 'Bearer operator' }
    return { lastWorkspace: undefined, principal: Promise.resolve(key === '' ? E.left({ _tag: 'UnknownApiKey' }) : E.right(caller)) }
  },
  refusal: (caller, act) => (act === undefined || isAllowed(caller, act, undefined) ? undefined : { _tag: 'Forbidden', act }),
  readerOf: ({ member }) => member,
  ownerOf: ({ member }) => member,
  factsOf: ({ email }) => ({ email }),
}

describe('the steps of a request', () => {
  it('are the same for callers of another kind, whose acts the access table allows', async () => {
    const served = { method: 'get', path: '/workspaces', isVersioned: false, pathParameters: {} } as const
    const app = new Koa()
    app.use((ctx, next) => {
      noteApp(ctx, { now: Date.now })
      return next()
    })
    app.use(bodyLimits({}))
    app.use(routesOf([{
      ...served,
      handler: (deps: object, log) => makeHandler(OPERATORS, {
        act: 'workspace.create',
        run: async (_deps, { principal, by, email }) => E.right(jsonReply(200, { isSame: by.principal === principal, email })),
      }, deps, log),
    }], {}, () => undefined, () => ({ failure: notFound, nearest: undefined, hasConsole: false }), () => ['/admin/v1']))
    const handle = app.callback()
    await using server = await listening(createServer((request, response) => void handle(request, response)))
    const get = async (key?: string) => {
      const reply = await fetch(`${server.url}/admin/v1/workspaces`, {
        headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      })
      return [reply.status, await reply.json()] as const
    }
    assert.deepEqual(await get('operator'), [200, { isSame: true, email: 'ada@shop.example' }])
    assert.equal((await get('member'))[0], 403)
    assert.equal((await get())[0], 401)
  })
})
