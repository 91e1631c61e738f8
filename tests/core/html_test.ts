/** Text cannot leave its element or attribute, and a literal cannot end its script. */
import assert from "node:assert/strict";
import { escapeHtml, toScriptLiteral } from "../../src/core/html.ts";

Deno.test("text cannot leave an element or a quoted attribute", () => {
  assert.equal(
    escapeHtml(`<b title="a" id='b'>&amp;`),
    "&lt;b title=&quot;a&quot; id=&#39;b&#39;&gt;&amp;amp;",
  );
});

Deno.test("a script literal keeps its value and cannot end the script", () => {
  const value = { text: "</script><!--<script>&\u2028\u2029\"'`${1}" };
  const literal = toScriptLiteral(value);
  assert.doesNotMatch(literal, /[<>&\u2028\u2029]/);
  assert.deepEqual(JSON.parse(literal), value);
});
