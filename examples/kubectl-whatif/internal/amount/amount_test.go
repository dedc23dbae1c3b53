package amount

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/resource"
)

func TestText(t *testing.T) {
	for _, tt := range []struct {
		name           resource.Name
		quantity, want string
	}{
		{"cpu", "1500m", "1.5"}, {"cpu", "2", "2"}, {"memory", "1536Mi", "1.5Gi"}, {"memory", "-3Gi", "-3Gi"}, {"memory", "1", "1"},
		{"hugepages-2Mi", "4Mi", "4Mi"}, {"nvidia.com/gpu", "2", "2"}, {"pods", "110", "110"},
	} {
		assert.Equal(t, tt.want, Text(tt.name, resource.MustParse(tt.quantity)), tt)
	}
	assert.Equal(t, "cpu 0.5, memory 1Gi", Texts(resource.MustList("memory", "1Gi", "cpu", "500m")))
	assert.Equal(t, "nothing but a place", Texts(nil))
}

// A counted amount becomes the quantity that it was counted from.
func TestQuantity(t *testing.T) {
	for _, name := range []resource.Name{"cpu", "memory", "ephemeral-storage", "hugepages-1Gi", "nvidia.com/gpu", "pods"} {
		for _, n := range []int64{0, 1, 999, 1024, 1 << 40} {
			assert.Equal(t, n, resource.Amount(name, Quantity(name, n)), name)
		}
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	assert.Equal(t, "2026-03-02 08:00", Moment(now))
	assert.Equal(t, "not started", Moment(time.Time{}))
	for back, want := range map[time.Duration]string{
		5 * time.Second: "5s", 3 * time.Minute: "3m", 90 * time.Minute: "1h30m", 50 * time.Hour: "2d02h", -time.Second: "-",
	} {
		assert.Equal(t, want, Age(now, now.Add(-back)))
	}
	assert.Equal(t, "-", Age(time.Time{}, now))
	assert.Equal(t, "-", Age(now, time.Time{}))
	// A time.Duration ends after 292 years.
	assert.Equal(t, "730485d08h", Age(now, time.Date(26, 3, 2, 0, 0, 0, 0, time.UTC)))
	assert.Equal(t, "-", Age(now, time.Date(3026, 1, 1, 0, 0, 0, 0, time.UTC)))
	assert.Equal(t, "59s", Age(now, now.Add(-time.Minute+time.Nanosecond)))
	assert.NotContains(t, Age(now, time.Unix(math.MinInt64+1<<37, 0)), "-")
}
