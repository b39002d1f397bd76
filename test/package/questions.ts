/** A reader's question, the pages that lead from the README to its answer, the heading above the answer, and words that only the answer has. */
export type Question = { readonly asked: string; readonly pages: ReadonlyArray<string>; readonly heading: string; readonly answer: RegExp }

/** What developers, operators and embedders ask first; six and more of each. */
export const QUESTIONS: Readonly<Record<'developer' | 'operator' | 'embedder', ReadonlyArray<Question>>> = {
  developer: [
    { asked: 'How do I authenticate?', pages: ['docs/api.md'], heading: '## Authentication', answer: /Authorization: Bearer/ },
    { asked: 'May I repeat a request that got no answer?', pages: ['docs/errors.md'], heading: '## Whether to repeat', answer: /same `Idempotency-Key`, never with a new one/ },
    { asked: 'What does the error 131047 mean?', pages: ['docs/errors.md'], heading: '## Pages', answer: /`\/errors\/platform\/131047`/ },
    {
      asked: 'What would this message cost?', pages: ['docs/api.md'], heading: '## Templates and quotes',
      answer: /They answer what it would cost now/,
    },
    {
      asked: 'How do I receive what customers write?', pages: ['docs/events.md'], heading: '## Add an endpoint',
      answer: /postern endpoint add/,
    },
    { asked: 'Is this delivery from Postern?', pages: ['docs/events.md'], heading: '## Check the signature', answer: /webhook\.verify\(/ },
    { asked: 'How do I send a picture?', pages: ['docs/messages.md'], heading: '## A file in the same request', answer: /-F file=@/ },
  ],
  operator: [
    { asked: 'What must I set?', pages: ['docs/configuration.md'], heading: '## The four that you need', answer: /POSTERN_SECRET/ },
    { asked: 'How do I run it for real?', pages: ['docs/deployment.md'], heading: '## With compose', answer: /docker compose up/ },
    {
      asked: 'How do I make a workspace with a sender, money and a key?', pages: ['docs/setup.md'], heading: '# ',
      answer: /postern key mint/,
    },
    { asked: 'How do I back it up?', pages: ['docs/operations.md', 'docs/operations/recover.md'], heading: '## Backup', answer: /pg_dump/ },
    { asked: 'How do I upgrade?', pages: ['docs/deployment.md'], heading: '## Upgrade', answer: /docker compose build/ },
    {
      asked: 'Does what I charge agree with what the platform bills?', pages: ['docs/operations.md', 'docs/operations/money.md'],
      heading: '## What the platform bills', answer: /PLATFORM BILLS/,
    },
    {
      asked: 'What should wake me up?', pages: ['docs/operations.md', 'docs/operations/watch.md'], heading: '## Health, metrics, logs',
      answer: /postern_\w+/,
    },
    { asked: 'How do I forget a person?', pages: ['docs/privacy.md'], heading: '## Forget people', answer: /postern customer erase/ },
    { asked: 'It is too slow: what then?', pages: ['docs/scaling.md'], heading: '## Workers', answer: /`WORKERS=n`/ },
  ],
  embedder: [
    {
      asked: 'How do I send from my own program?', pages: ['docs/embedding.md'], heading: '## Send a text without a container',
      answer: /makeSending\(/,
    },
    { asked: 'What must I check before I send?', pages: ['docs/embedding.md'], heading: '## Check first', answer: /parseIdempotencyKey/ },
    {
      asked: 'What does the window mean on another network?', pages: ['docs/embedding.md', 'docs/another-network.md'],
      heading: '## What the rules mean there', answer: /`alwaysOpen\(storage\.windowClock\)`/,
    },
    { asked: 'What has to run beside the sends?', pages: ['docs/embedding.md'], heading: '## Upkeep', answer: /makeUpkeep\(/ },
    {
      asked: 'How do I serve the API in my app?', pages: ['docs/embedding.md'], heading: '## Mounting the HTTP app',
      answer: /makeHttpApp\(/,
    },
    {
      asked: 'How do I take notifications in Express?', pages: ['docs/embedding.md'], heading: '## Webhooks in an app that is not Koa',
      answer: /raw|bytes/,
    },
    {
      asked: 'How do I bind it with inversify?', pages: ['docs/embedding.md'], heading: '## With inversify',
      answer: /container\.load\(sends\)/,
    },
    {
      asked: 'How do I put my own storage in?', pages: ['docs/writing-an-adapter.md'], heading: '## 1. Implement the port',
      answer: /WindowClock => \(\{/,
    },
    {
      asked: 'How do I know that my adapter is right?', pages: ['docs/writing-an-adapter.md'], heading: '## 4. Run the laws',
      answer: /windowClockLaws/,
    },
  ],
}
