import * as E from 'fp-ts/lib/Either.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { appsAtRestLaws, appsLaws } from '../laws/apps.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: Parameters<typeof brokenMemory<'apps'>>[1]) => brokenMemory('apps', defect)

const READ = 'an app is listed without its secrets, which are read by its id from the very next call on, everywhere'
const ORDER = 'apps are listed oldest first'
const NAMES = 'two apps never have one name, and letter case distinguishes names'
const TWO = 'a second app secret is valid together with the first, until either of them is removed'
const BOUNDS = 'an app never has three app secrets, and never none'
const TOKEN = 'a replaced verify token leaves the app secrets as they are'
const ALONE = 'a change concerns its own app alone, and an app that does not exist cannot be changed'
const GONE = 'a removed app has no secrets, is not listed, and its name is free; no other app is removed'
const IN_USE = 'an app is not removed while senders belong to it, and the refusal has their number and the first of them'
const NO_APP = 'a sender is never set or replaced with an app that does not exist, and the refusal changes nothing'
const RACED = 'if an app is removed while a sender is set or replaced with it, exactly one of both succeeds, everywhere'
const COUNTED = 'the senders of each app are counted, and those of the environment apart'
const ENTRIES = 'an app that is added, changed or removed stores the entries made of it, and one that is not stores none'

describeMutations('the apps of the platform', appsLaws, [
  {
    defect: 'lists secrets',
    open: broken(({ list }) => ({ list: () => withResult(list(), (all) => all.map((app) => ({ ...app, appSecret: 'x' }))) })),
    breaks: [READ],
  },
  {
    defect: 'lists the newest app first',
    open: broken(({ list }) => ({ list: () => withResult(list(), (all) => all.toReversed()) })), breaks: [ORDER],
  },
  {
    defect: 'gives a second app with one name another name',
    open: broken(({ add }) => ({
      add: async (app, ...along) => {
        const added = await add(app, ...along)
        return E.isLeft(added) && added.left._tag === 'AppNameTaken' ? add({ ...app, name: `${app.name}-2` }, ...along) : added
      },
    })),
    breaks: [NAMES, ENTRIES],
  },
  {
    defect: 'compares names without letter case',
    open: broken(({ add, list }) => ({
      add: async (app, ...along) => {
        const all = await list()
        const isTaken = E.isRight(all) && all.right.some(({ name }) => name.toLowerCase() === app.name.toLowerCase())
        return isTaken ? E.left({ _tag: 'AppNameTaken', name: app.name }) : add(app, ...along)
      },
    })),
    breaks: [NAMES],
  },
  {
    defect: 'replaces the only secret if a second one is added',
    open: broken(({ change }) => ({
      change: async (id, given, ...rest) => {
        const changed = await change(id, given, ...rest)
        return given._tag === 'SecretAdded' && E.isRight(changed) ? change(id, { _tag: 'OlderRemoved' }, ...rest) : changed
      },
    })),
    breaks: [TWO, BOUNDS, TOKEN],
  },
  {
    defect: 'removes the other one of two secrets',
    open: broken(({ change }) => ({
      change: (id, given, ...rest) => {
        const other = given._tag === 'OlderRemoved' ? 'NewerRemoved' : given._tag === 'NewerRemoved' ? 'OlderRemoved' : undefined
        return change(id, other === undefined ? given : { _tag: other }, ...rest)
      },
    })),
    breaks: [TWO],
  },
  {
    defect: 'replaces the second secret by a third one',
    open: broken(({ change }) => ({
      change: async (id, given, ...rest) => {
        const changed = await change(id, given, ...rest)
        if (E.isRight(changed) || changed.left._tag !== 'AppHasTwoSecrets') return changed
        await change(id, { _tag: 'NewerRemoved' }, ...rest)
        return change(id, given, ...rest)
      },
    })),
    breaks: [BOUNDS, ENTRIES],
  },
  {
    defect: 'ends a rotation if the verify token is replaced',
    open: broken(({ change }) => ({
      change: async (id, given, ...rest) => {
        if (given._tag === 'VerifyTokenReplaced') await change(id, { _tag: 'NewerRemoved' }, ...rest)
        return change(id, given, ...rest)
      },
    })),
    breaks: [TOKEN],
  },
  {
    defect: 'changes every app',
    open: broken(({ change, list }) => ({
      change: async (id, ...rest) => {
        const all = await list()
        if (E.isRight(all)) for (const other of all.right) if (other.id !== id) await change(other.id, ...rest)
        return change(id, ...rest)
      },
    })),
    breaks: [ALONE],
  },
  {
    defect: 'counts no senders of the environment',
    open: broken(({ countSenders }) => ({
      countSenders: () => withResult(countSenders(), (counts) => counts.filter(({ app }) => app !== undefined)),
    })),
    breaks: [COUNTED],
  },
  {
    defect: 'counts each app once',
    open: broken(({ countSenders }) => ({
      countSenders: () => withResult(countSenders(), (counts) => counts.map((count) => ({ ...count, senders: 1 }))),
    })),
    breaks: [COUNTED],
  },
  {
    defect: 'removes nothing',
    open: broken(({ remove, list }) => ({
      remove: async (id) => {
        const all = await list()
        return E.isRight(all) && all.right.some((app) => app.id === id) ? E.right(undefined) : remove(id)
      },
    })),
    breaks: [GONE, IN_USE, ENTRIES],
  },
  {
    defect: 'removes every app that no sender belongs to',
    open: broken(({ remove, list }) => ({
      remove: async (id, ...along) => {
        const all = await list()
        const removed = await remove(id, ...along)
        if (E.isRight(all) && E.isRight(removed)) for (const other of all.right) await remove(other.id)
        return removed
      },
    })),
    breaks: [GONE],
  },
  {
    defect: 'removes an app with its senders',
    open: broken(({ remove }, { senders }) => ({
      remove: async (id, ...along) => {
        const removed = await remove(id, ...along)
        if (E.isRight(removed) || removed.left._tag !== 'AppInUse') return removed
        for (const of of removed.left.senders) await senders.remove(of)
        return remove(id, ...along)
      },
    })),
    breaks: [IN_USE, ENTRIES],
  },
  {
    defect: 'counts only the senders that it names',
    open: broken(({ remove }) => ({
      remove: async (id, ...along) => {
        const removed = await remove(id, ...along)
        return E.isRight(removed) || removed.left._tag !== 'AppInUse'
          ? removed
          : E.left({ ...removed.left, count: removed.left.senders.length })
      },
    })),
    breaks: [IN_USE],
  },
  {
    defect: 'sets a sender with an app that does not exist as one of the environment',
    open: brokenMemory('senders', ({ assign }) => ({
      assign: async (workspace, { app, ...sender }, ...along) => {
        const assigned = await assign(workspace, { ...sender, ...(app !== undefined && { app }) }, ...along)
        return E.isLeft(assigned) && assigned.left._tag === 'NoSuchApp' ? assign(workspace, sender, ...along) : assigned
      },
    })),
    breaks: [NO_APP, RACED],
  },
  {
    defect: 'lets a number move with an app that does not exist',
    open: brokenMemory('senders', ({ replace }) => ({
      replace: async (of, { app, ...by }, ...rest) => {
        const replaced = await replace(of, { ...by, ...(app !== undefined && { app }) }, ...rest)
        return E.isLeft(replaced) && replaced.left._tag === 'NoSuchApp' ? replace(of, by, ...rest) : replaced
      },
    })),
    breaks: [NO_APP],
  },
  {
    defect: 'looks whether an app has senders, waits, and then removes it',
    open: broken(({ remove, countSenders }) => ({
      remove: async (id, ...along) => {
        const counts = await countSenders()
        const hasNone = E.isRight(counts) && counts.right.every(({ app }) => app !== id)
        const removed = await remove(id, ...along)
        return hasNone && E.isLeft(removed) && removed.left._tag === 'AppInUse' ? E.right(undefined) : removed
      },
    })),
    breaks: [RACED],
  },
  {
    defect: 'stores nothing along with a removal',
    open: broken(({ remove }) => ({ remove: (id) => remove(id) })), breaks: [ENTRIES],
  },
  {
    defect: 'stores nothing along with a change',
    open: broken(({ change }) => ({ change: (id, given, at) => change(id, given, at) })), breaks: [ENTRIES],
  },
])

describeMutations('the apps of the platform at rest', appsAtRestLaws, [
  {
    defect: 'stores secrets as they are',
    open: async () => {
      const stored: unknown[] = []
      const { apps, ...fixture } = await openMemoryFixture()
      return {
        ...fixture, atRest: async () => JSON.stringify(stored),
        apps: { ...apps, add: (app) => { stored.push(app); return apps.add(app) } },
      }
    },
    breaks: ['app secrets and verify tokens are encrypted at rest'],
  },
])
