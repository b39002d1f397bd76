import { assert } from 'chai'
import type { Suite } from 'mocha'
import { withDatabase } from '../support/books.js'
import type { GaleraCluster } from '../support/galera.js'

export const oneInstallation = (cluster: () => GaleraCluster): Suite => describe('Gateways on the nodes of a Galera cluster', () => {
  it('are one installation, whichever node they name, so the queue of one is not held by another', async () => {
    const { urls, urlFrom } = await cluster().createDatabase('postern_installation')
    const ids = await Promise.all([...urls, urlFrom(1), urlFrom(2)].map((url) => withDatabase(url, ({ installation }) => installation())))
    assert.lengthOf(new Set(ids), 1)
    const other = await cluster().createDatabase('postern_other')
    assert.notEqual(await withDatabase(other.urls[0], ({ installation }) => installation()), ids[0], 'another database of the cluster')
  })
})
