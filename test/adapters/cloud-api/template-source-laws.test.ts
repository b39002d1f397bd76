import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import { templateSourceLaws } from '../../laws/template-source.js'
import { describeLaws } from '../../support/describe-laws.js'
import { openTemplateSourceFixture } from './template-source-fixture.js'

describeLaws('the templates of the cloud API over got', templateSourceLaws, () => openTemplateSourceFixture(makeGotTransport()))
describeLaws('the templates of the cloud API over undici', templateSourceLaws, () => openTemplateSourceFixture(makeUndiciTransport()))
