/** A successful request and its response. The bearer token is left out of the headers. */
export interface OperationExample {
  readonly request?: {
    readonly path?: ExampleParameters;
    readonly query?: ExampleParameters;
    readonly header?: ExampleParameters;
    readonly body?: unknown;
  };
  /** The body of the response, if it has one. */
  readonly response?: unknown;
}

type ExampleParameters = Readonly<Record<string, unknown>>;

/** The property in which `operation` keeps the example request, until `placeExamples` distributes its parts. */
export const EXAMPLE_KEY = "x-example-request";

interface Parameter {
  readonly in: "path" | "query" | "header";
  readonly name: string;
}

interface DescribedOperation {
  readonly [EXAMPLE_KEY]?: OperationExample["request"];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
}

type Paths = Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;

/**
 * Moves the parts of each example request to the parameters and request bodies, as OpenAPI 3.1 expects. The
 * validating middleware describes these without knowing the examples.
 */
export function placeExamples<D extends object>(document: D): D {
  const { paths = {} } = document as { paths?: Paths };
  const placed = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, placeExample(one)])),
  ]);
  return { ...document, paths: Object.fromEntries(placed) };
}

function placeExample({ [EXAMPLE_KEY]: example, ...described }: DescribedOperation): DescribedOperation {
  if (example === undefined) return described;
  const { parameters, requestBody } = described;
  return {
    ...described,
    ...(parameters === undefined ? {} : {
      parameters: parameters.map((parameter) => {
        const value = example[parameter.in]?.[parameter.name];
        return value === undefined ? parameter : { ...parameter, example: value };
      }),
    }),
    ...(requestBody === undefined || example.body === undefined ? {} : {
      requestBody: {
        ...requestBody,
        // With several media types, the example is the JSON one, which every operation accepts.
        content: Object.fromEntries(
          Object.entries(requestBody.content).map(([type, media]) =>
            type === "application/json" ? [type, { ...media, example: example.body }] : [type, media]
          ),
        ),
      },
    }),
  };
}
