package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// wireTypes are the types of whole objects.
var wireTypes = map[string]reflect.Type{
	"pod": reflect.TypeFor[Pod](), "node": reflect.TypeFor[Node](), "budget": reflect.TypeFor[Budget](),
	"class": reflect.TypeFor[PriorityClass](), "claim": reflect.TypeFor[Claim](), "volume": reflect.TypeFor[PersistentVolume](),
}

// text draws the text of a value of a type, nearly always of the right kind.
func text(t *rapid.T, of reflect.Type, deep int) string {
	if rapid.IntRange(0, 200).Draw(t, "odd") == 0 {
		return rapid.SampledFrom([]string{"null", "[]", "{}", "1", `"x"`, "true", "1.5", "-0", "[1]", `{"a":1}`, `"\u0041"`}).Draw(t, "odd value")
	}
	switch of {
	case reflect.TypeFor[Quantity]():
		return rapid.SampledFrom([]string{`"1"`, `"500m"`, `"1Gi"`, "3", "1e3", `"x"`, `"\u0031"`}).Draw(t, "quantity")
	case reflect.TypeFor[Moment]():
		return rapid.SampledFrom([]string{`"2026-01-10T12:00:00Z"`, "null", `""`, "7", `"soon"`}).Draw(t, "moment")
	case reflect.TypeFor[json.RawMessage]():
		return rapid.SampledFrom([]string{"1", `"50%"`, "null", `{"a":[1,{"b":"c"}]}`, "-1.5e3", "01"}).Draw(t, "raw")
	}
	switch of.Kind() {
	case reflect.Pointer:
		return text(t, of.Elem(), deep)
	case reflect.String:
		if rapid.IntRange(0, 15).Draw(t, "plain") > 0 {
			return rapid.SampledFrom([]string{`""`, `"a"`, `"b-c"`, `"a b"`, `"é"`}).Draw(t, "string")
		}
		return rapid.SampledFrom([]string{`"\n"`, `"\""`, "\"\xff\"", "\"\x01\""}).Draw(t, "string")
	case reflect.Bool:
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")
	case reflect.Int32, reflect.Int64:
		if rapid.IntRange(0, 15).Draw(t, "plain") > 0 {
			return rapid.SampledFrom([]string{"0", "1", "-7"}).Draw(t, "number")
		}
		return rapid.SampledFrom([]string{"-0", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "007", "1e2", "-"}).Draw(t, "number")
	case reflect.Slice:
		var parts []string
		for range rapid.IntRange(0, max(0, 2-deep/2)).Draw(t, "elements") {
			parts = append(parts, text(t, of.Elem(), deep+1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case reflect.Map:
		var parts []string
		for range rapid.IntRange(0, 3).Draw(t, "entries") {
			key := rapid.SampledFrom([]string{"cpu", "memory", "app", "a/b", "k8s.io/x", "b", "c", "d", "é", "k\\u0041"}).Draw(t, "name")
			parts = append(parts, fmt.Sprintf("\"%s\":%s", key, text(t, of.Elem(), deep+1)))
		}
		return "{" + strings.Join(parts, " , ") + "}"
	}
	var parts []string
	for i := range of.NumField() {
		if f := of.Field(i); f.Type != writtenType && rapid.IntRange(0, 2).Draw(t, "has") > 0 {
			for range 1 + rapid.IntRange(0, 30).Draw(t, "twice")/30 {
				parts = append(parts, fmt.Sprintf("%q: %s", fieldName(f), text(t, f.Type, deep+1)))
			}
		}
	}
	for range rapid.IntRange(0, 1).Draw(t, "others") {
		parts = append(parts, rapid.SampledFrom([]string{
			`"env":[{"name":"a","value":"\"}]"}]`, `"image":"x"`, `"Name":"upper"`, `"na\u006de":"escaped"`, `"n":1.5e7`, `"deep":{"a":[{"b":{}}]}`, `"odd":[}`, `"bad":tru`,
		}).Draw(t, "other"))
	}
	return "{" + strings.Join(rapid.Permutation(parts).Draw(t, "order"), ",\n ") + "}"
}

// A value that is read quickly equals the one of the standard library's decoder, which
// finds no problem in it. The text of one object leaves nothing behind for the next.
func TestPropertyQuickReadsAlike(t *testing.T) {
	for name, of := range wireTypes {
		t.Run(name, func(t *testing.T) {
			quick, drawn := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				d, got := &memory{}, reflect.New(of)
				for range 3 {
					raw := []byte(text(t, of, 0))
					for range rapid.IntRange(0, 2).Draw(t, "errors") / 2 { // in a third of them
						at := rapid.IntRange(0, len(raw)-1).Draw(t, "at")
						switch rapid.IntRange(0, 2).Draw(t, "error") {
						case 0:
							raw = append(raw[:at:at], raw[at+1:]...)
						case 1:
							raw[at] = rapid.SampledFrom([]byte(`{}[]",:\ 0a`)).Draw(t, "byte")
						case 2:
							raw = raw[:at]
						}
					}
					d.forget()
					want := reflect.New(of)
					before := bytes.Clone(raw)
					drawn++
					wrong := standard(raw, want.Interface())
					if quickly(d, raw, got.Elem()) {
						quick++
						require.Empty(t, wrong, "%s", raw)
						require.True(t, alike(want.Elem(), got.Elem()), "%s\n%+v\n%+v", raw, want, got)
					}
					require.Equal(t, before, raw)
					again := reflect.New(of)
					require.Equal(t, wrong, new(Decoder).Decode(raw, again.Interface()))
					require.Equal(t, want.Interface(), again.Interface(), "%s", raw)
				}
			})
			assert.Greater(t, quick, drawn/20, "hardly any is read quickly")
		})
	}
}

// alike compares values without telling an empty list, in which memory may wait, from none.
func alike(a, b reflect.Value) bool {
	switch {
	case a.Kind() == reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	case a.Kind() == reflect.Struct && !readsItself(a.Type()):
		for i := range a.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// A quick reader skips the same bytes as a scanner.
func TestPropertyQuickSkipsAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(rapid.StringOfN(rapid.SampledFrom([]rune("{}[]\"\"\\,:a1 é\n        ")), 1, 40, -1).Draw(t, "text"))
		q, s := quick{buf: raw}, scanner{buf: raw, err: io.EOF, mark: 0}
		if q.skip(); !q.lost {
			require.NoError(t, s.skip(), "%q", raw)
			require.Equal(t, s.pos, q.pos, "%q", raw)
		}
	})
}

// Texts that are frequent in a dump are read quickly.
func TestQuickReadsWhatDumpsHold(t *testing.T) {
	raw := `{"metadata": {"name": "web-1", "labels": {"app": "web"}, "creationTimestamp": "2026-01-10T12:00:00Z",
		"managedFields": [{"fieldsV1": {"f:metadata": {}}}]},
		"spec": {"nodeName": "n1", "priority": 7, "containers": [{"name": "c", "env": [{"value": "a \"quoted\" text"}],
		"resources": {"requests": {"cpu": "100m", "memory": "1Gi"}}}], "hostNetwork": false},
		"status": {"phase": "Running", "conditions": [{"type": "Ready", "lastProbeTime": null}]}}`
	d, p := &memory{}, Pod{}
	require.True(t, quickly(d, []byte(raw), reflect.ValueOf(&p).Elem()))
	assert.Equal(t, "web-1", p.Metadata.Name)
	assert.Equal(t, int32(7), *p.Spec.Priority)
	assert.Equal(t, "100m", p.Spec.Containers[0].Resources.Requests["cpu"].String())
	for _, lost := range []string{`{"metadata": {"name": "a", "name": "b"}}`, `{"metadata": {"name": "\u0041"}}`, `{"spec": {"priority": 1.0}}`, `{} {}`, `{`, ``} {
		assert.False(t, quickly(d, []byte(lost), reflect.ValueOf(&Pod{}).Elem()), lost)
	}
}

// A map of amounts that was large is not kept: clearing it would take as long each time.
func TestDecoderForgetsLargeMaps(t *testing.T) {
	d := &memory{}
	for i := range 3 * mostAmounts {
		m := d.emptyAmounts()
		for n := range i % 40 {
			m[fmt.Sprint(n)] = Quantity{}
		}
	}
	d.forget()
	assert.Len(t, d.amounts, mostAmounts)
	for range mostAmounts {
		assert.Empty(t, d.emptyAmounts())
	}
}
