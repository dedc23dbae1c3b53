package metric

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSort(t *testing.T) {
	names := []string{"waitMean/5", "zzz", "waitMax/100", "evictions", "waitMean/100", "arrived", "waitMean"}
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	Sort(names)
	assert.Equal(t, []string{"arrived", "evictions", "waitMean", "zzz", "waitMean/100", "waitMax/100", "waitMean/5"}, names)
	assert.Equal(t, Metric{"waitP95/-7", "wait at priority -7, 95th percentile", "s"}, Of("waitP95/-7"))
}

func TestKnown(t *testing.T) {
	for name, want := range map[string]bool{
		"evictions": true, "waitMean": true, "waitMean/0": true, "waitP95/-7": true,
		"fairness": true, "fairness/-3": true, "useGPU/0": true, "gpuMisfits/0": false, "waitMean/": false, "waitMean/x": false, "evictions/0": false, "wait": false, "": false,
	} {
		assert.Equal(t, want, Known(name), name)
	}
}
