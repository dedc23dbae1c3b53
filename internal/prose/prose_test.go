package prose_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/resource"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"shop/web-1":              "shop/web-1",
		"":                        `""`,
		"a b":                     `"a b"`,
		"<script>":                `"<script>"`,
		"x\x1b[31m":               `"x\x1b[31m"`,
		"\u202eevil":              `"\u202eevil"`,
		"\U0001F600":              `"\U0001f600"`,
		"\xff":                    `"\xff"`,
		strings.Repeat("n", 253):  strings.Repeat("n", 253),
		strings.Repeat("n", 9999): strings.Repeat("n", 506) + "...",
	} {
		assert.Equal(t, want, prose.Name(name))
	}
	assert.Equal(t, "app in (a,b)", prose.Text("app in (a,b)"))
	assert.Equal(t, `"two\nlines"`, prose.Text("two\nlines"))
	assert.Equal(t, "a, \"\\n\" and 2 more", prose.List(prose.Names([]string{"a", "\n"}), 2))
	assert.Equal(t, "3", prose.List(nil, 3))
	assert.Equal(t, "1 pod, 2 pods", prose.Plural(1, "pod")+", "+prose.Plural(2, "pod"))
	assert.Equal(t, "pods", prose.Resource(resource.Pods))
}

// Whatever a name holds, its text is short and is printable ASCII.
func TestPropertyTextsArePlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "name")
		for _, text := range []string{prose.Name(s), prose.Text(s)} {
			for _, r := range text {
				assert.True(t, r >= ' ' && r <= '~', "%q", text)
			}
		}
	})
}

func TestQuantity(t *testing.T) {
	for _, name := range []resource.Name{resource.CPU, resource.Memory, resource.Pods, "hugepages-2Mi", "example.com/x"} {
		for _, n := range []int64{0, 1, -1, 1500, math.MaxInt64, math.MinInt64} {
			assert.Equal(t, n, resource.Amount(name, prose.Quantity(name, n)), "%s %d", name, n)
		}
	}
}
