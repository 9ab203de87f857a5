import { requireFunction } from '../meta/options/validate.js';
import type { Undo } from '../meta/undo.js';
import { controllerChannels } from './controller-telemetry.js';
import { listen } from './diagnostics-channel.js';

/** The methods of an OpenTelemetry span that {@link traceRuns} calls. */
interface SpanLike {
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(exception: Error | string, time?: number): unknown;
  end(endTime?: number): void;
}

/** A `Tracer` of `@opentelemetry/api` has this shape; kubeflect does not depend on that package. */
interface TracerLike {
  startSpan(
    name: string,
    options: { startTime?: number; attributes?: Record<string, string | number | string[]> },
  ): SpanLike;
}

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;

/**
 * Makes one span of every run of every controller in this process, when the run has ended. Failed runs have the status ERROR
 * and their exception.
 *
 * @example
 * const stop = traceRuns(trace.getTracer('my-operator')); // trace of @opentelemetry/api
 */
export function traceRuns(tracer: TracerLike): Undo {
  requireFunction('tracer.startSpan', tracer?.startSpan);
  return listen(controllerChannels.controllerRun, (run) => {
    const { controller, what, key, id, attempt, causes, outcome, startedAt, durationMs, error } = run;
    const span = tracer.startSpan(`${controller} ${what}`, {
      startTime: startedAt,
      attributes: {
        'k8s.controller.name': controller,
        'k8s.object.key': key,
        'k8s.reconcile.id': id,
        'k8s.reconcile.attempt': attempt,
        'k8s.reconcile.causes': [...causes],
        'k8s.reconcile.outcome': outcome,
        'k8s.reconcile.writes': run.writes.length,
      },
    });
    const endedAt = startedAt + durationMs;
    if (outcome === 'failed' || outcome === 'terminal') {
      const exception = error instanceof Error ? error : String(error);
      span.recordException(exception, endedAt);
      span.setStatus({ code: ERROR, message: exception instanceof Error ? exception.message : exception });
    }
    span.end(endedAt);
  });
}
