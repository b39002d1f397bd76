import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BasicTracerProvider, BatchSpanProcessor, ConsoleSpanExporter, ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base'

// Without an address, spans are printed between the lines of the log.
const exporter = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] === undefined ? new ConsoleSpanExporter() : new OTLPTraceExporter()
// The decision of the caller applies; of requests without one, this share is sampled.
const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(Number(process.env['OTEL_TRACES_SAMPLER_ARG'] ?? '1')) })
const provider = new BasicTracerProvider({ sampler, spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 })] })

// The context manager nests spans.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(provider)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void provider.forceFlush())
