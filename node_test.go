package outrank_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
)

func TestTolerates(t *testing.T) {
	taint := outrank.Taint{Key: "k", Value: "v", Effect: outrank.NoSchedule}
	for _, test := range []struct {
		name string
		t    outrank.Toleration
		want bool
	}{
		{"equal, in full", outrank.Toleration{Key: "k", Operator: outrank.TolerationEqual, Value: "v", Effect: outrank.NoSchedule}, true},
		{"no operator means Equal", outrank.Toleration{Key: "k", Value: "v"}, true},
		{"other value", outrank.Toleration{Key: "k", Value: "w"}, false},
		{"other key", outrank.Toleration{Key: "l", Value: "v"}, false},
		{"other effect", outrank.Toleration{Key: "k", Value: "v", Effect: outrank.NoExecute}, false},
		{"no effect means all", outrank.Toleration{Key: "k", Operator: outrank.TolerationExists}, true},
		{"Exists looks at the key", outrank.Toleration{Key: "l", Operator: outrank.TolerationExists}, false},
		{"no key with Exists means every taint", outrank.Toleration{Operator: outrank.TolerationExists}, true},
		{"no key with Exists, but another effect", outrank.Toleration{Operator: outrank.TolerationExists, Effect: outrank.NoExecute}, false},
		{"no key without Exists means none", outrank.Toleration{Value: "v"}, false},
		{"unknown operator", outrank.Toleration{Key: "k", Operator: "Near", Value: "v"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, test.t.Tolerates(taint), "%+v.Tolerates(%+v)", test.t, taint)
			pod := outrank.Pod{Tolerations: []outrank.Toleration{{Key: "other"}, test.t}}
			assert.Equal(t, test.want, pod.Tolerates(taint), "Pod.Tolerates")
		})
	}
	assert.False(t, (&outrank.Pod{}).Tolerates(taint))
}
