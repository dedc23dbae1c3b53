package outrank_test

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/hostile"
)

// The memory in use while a dump is read is no more than ten times its size where
// it holds long strings, nulls, or containers as the API server shows them; and what
// is kept of it is no more than that for any dump here. An object that is nothing
// but a list of the smallest parts there are takes more while it is read.
func TestHostileInputTakesLinearMemory(t *testing.T) {
	as := map[string]string{
		"containers as they are shown": hostile.InPod(`"metadata":{"name":"p"},"spec":{"containers":[@` +
			`{"name":"c%d","image":"registry.example/app:%d","imagePullPolicy":"IfNotPresent","terminationMessagePath":"/dev/termination-log","resources":{"requests":{"cpu":"1"}}}@]},` +
			`"status":{"containerStatuses":[@{"name":"c%d","allocatedResources":{"cpu":"1"},"resources":{"requests":{"cpu":"1"}},"image":"registry.example/app:%d",` +
			`"imageID":"registry.example/app:sha256-0123456789abcdef0123456789abcdef","ready":true,"restartCount":0,"started":true,"state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}}}@]}`),
	}
	for _, name := range []string{"scripts in annotations", "one string", "one string of quotes", "nulls", "unread", "budgets", "claims and volumes"} {
		as[name] = hostile.Dumps[name]
	}
	for name, form := range as {
		t.Run(name, func(t *testing.T) { requirePeak(t, form, 10) })
	}
	for _, name := range []string{"containers", "wrong types", "one wrong type"} {
		t.Run(name, func(t *testing.T) { requirePeak(t, hostile.Dumps[name], 38) })
	}
	for name, form := range hostile.Dumps {
		t.Run("kept of "+name, func(t *testing.T) {
			text := hostile.Written(form, 5000)
			before := inUse()
			c, err := outrank.ReadCluster(strings.NewReader(text))
			kept := inUse() - before
			require.Less(t, kept, int64(10*len(text)), "of %d", len(text))
			runtime.KeepAlive(c)
			runtime.KeepAlive(err)
		})
	}
}

// inUse is how much memory is reachable.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// requirePeak reads a dump while another goroutine looks at how much memory is in
// use. What it sees may be garbage in part, so that the least of a few times counts.
func requirePeak(t *testing.T, form string, times int64) {
	text := hostile.Written(form, 1+(2<<20)/(len(form)+1))
	least := int64(math.MaxInt64)
	for range 5 {
		if least = min(least, peakOf(text)); least < times*int64(len(text)) {
			return
		}
	}
	t.Errorf("%d bytes for an input of %d", least, len(text))
}

func peakOf(text string) int64 {
	before := inUse()
	ended, peak := make(chan bool), make(chan int64)
	go func() {
		most := int64(0)
		for {
			select {
			case <-ended:
				peak <- most
				return
			default:
				most = max(most, inUse())
			}
		}
	}()
	_, err := outrank.ReadCluster(strings.NewReader(text))
	close(ended)
	defer runtime.KeepAlive(err)
	return <-peak - before
}
