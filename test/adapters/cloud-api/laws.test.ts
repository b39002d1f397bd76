import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import { conversationLaws } from '../../laws/conversation.js'
import { mediaLaws } from '../../laws/media.js'
import { uploadsLaws } from '../../laws/uploads.js'
import { platformLaws } from '../../laws/platform.js'
import { describeLaws } from '../../support/describe-laws.js'
import { openConversationFixture } from './conversation-fixture.js'
import { openPlatformFixture } from './platform-fixture.js'

describeLaws('the cloud API over got', platformLaws, () => openPlatformFixture(makeGotTransport()))
describeLaws('the cloud API over undici', platformLaws, () => openPlatformFixture(makeUndiciTransport()))

describeLaws('a conversation over got', conversationLaws, () => openConversationFixture(makeGotTransport()))
describeLaws('a conversation over undici', conversationLaws, () => openConversationFixture(makeUndiciTransport()))

describeLaws('attachments over got', mediaLaws, () => openConversationFixture(makeGotTransport()))
describeLaws('attachments over undici', mediaLaws, () => openConversationFixture(makeUndiciTransport()))

describeLaws('uploads over got', uploadsLaws, () => openConversationFixture(makeGotTransport()))
describeLaws('uploads over undici', uploadsLaws, () => openConversationFixture(makeUndiciTransport()))
