package kube_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/hostile"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption/kube"
)

// wrongAllOver are inputs full of problems, or large, each made of one repeated
// part.
var wrongAllOver = map[string]string{
	"nulls":            "null",
	"not objects":      "[7]",
	"no kind":          "{}",
	"no name":          `{"kind":"Pod"}`,
	"bad quantities":   `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"containers":[{"resources":{"requests":{"cpu":"x"}}}]}}`,
	"names twice":      `{"kind":"Pod","metadata":{"name":"p"}}`,
	"bad selectors":    `{"kind":"PodDisruptionBudget","metadata":{"name":"b%d"},"spec":{"selector":{"matchExpressions":[{"key":"-","operator":"?"}]}}}`,
	"unknown kinds":    `{"kind":"Other","metadata":{"name":"o%d"}}`,
	"finished":         `{"kind":"Pod","metadata":{"name":"p%d"},"status":{"phase":"Failed"}}`,
	"missing claims":   `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"volumes":[{"persistentVolumeClaim":{"claimName":"c%d"}}]}}`,
	"many containers":  `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"containers":[{},{},{},{},{},{},{},{}]}}`,
	"escapes in names": `{"kind":"Pod","metadata":{"name":"\u0070%d"}}`,
}

func dumpOf(part string, times int) string {
	return hostile.Written(`{"kind":"List","items":[@`+part+`@]}`, times)
}

// Reading a faulty dump keeps no more than some times its own size, and a
// bounded number of problems.
func TestHostileInput(t *testing.T) {
	for name, part := range wrongAllOver {
		t.Run(name, func(t *testing.T) {
			text := dumpOf(part, seeded.Sample(1<<17, 1<<20)/len(part))
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			c, err := kube.ReadCluster(strings.NewReader(text))
			runtime.GC()
			runtime.ReadMemStats(&after)
			kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
			assert.Less(t, kept, int64(20*len(text)), "bytes kept of %d", len(text))
			var invalid *outrank.InputError
			if err != nil {
				require.ErrorAs(t, err, &invalid)
				assert.LessOrEqual(t, len(invalid.Problems), 1000)
			}
			runtime.KeepAlive(c)
		})
	}
}

// Problems that are not kept are counted.
func TestMoreProblems(t *testing.T) {
	_, err := kube.ReadCluster(strings.NewReader(dumpOf("null", 1234)))
	var invalid *outrank.InputError
	require.ErrorAs(t, err, &invalid)
	assert.Len(t, invalid.Problems, 1000)
	assert.Equal(t, 234, invalid.More)
	assert.True(t, strings.HasSuffix(err.Error(), "\nand 234 more problems"))
}

// The memory in use while a dump is read is no more than ten times its size where
// it holds long strings, nulls, or containers as the API server shows them; and
// so is the memory kept of any dump here. An object that is nothing but a list of
// the smallest possible parts takes more while it is read.
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
			text := hostile.Written(form, seeded.Sample(2000, 5000))
			before := inUse()
			c, err := kube.ReadCluster(strings.NewReader(text))
			kept := inUse() - before
			require.Less(t, kept, int64(10*len(text)), "of %d", len(text))
			runtime.KeepAlive(c)
			runtime.KeepAlive(err)
		})
	}
}

// An object that is nothing but a list of the smallest possible parts, or has as
// many labels as fit, takes a hundred times its size; the total has a bound,
// because no object of Kubernetes has so many parts.
func TestPeakHasABound(t *testing.T) {
	forms := []struct{ name, form string }{
		{"templates", `{"kind":"Workload","metadata":{"name":"w"},"spec":{"podGroupTemplates":[@{}@]}}`},
		{"containers", hostile.InSpec(`"containers":[@{}@]`)},
		{"spreads", hostile.InSpec(`"topologySpreadConstraints":[@{}@]`)},
	}
	for _, test := range forms[:seeded.Sample(1, 3)] {
		t.Run(test.name, func(t *testing.T) {
			if seeded.Sample(0, 1) > 0 { // the larger one has as many on its way to the error
				requireBound(t, hostile.Written(test.form, 250_000))
			}
			err := requireBound(t, hostile.Written(test.form, seeded.Sample(250_010, 2_000_000)))
			require.ErrorContains(t, err, "its lists have more than 250000 parts together")
			require.NotContains(t, err.Error(), "\n", "that is all there is to say")
		})
	}
	t.Run("requests", func(t *testing.T) {
		requireBound(t, hostile.Written(hostile.InSpec(`"containers":[{"name":"c","resources":{"requests":{@"%d":1@}}}]`), seeded.Sample(50_000, 250_000)))
	})
}

// requireBound reads a dump, requires the bound that [kube.ReadCluster] promises, and returns
// the error that reading had.
func requireBound(t *testing.T, text string) error {
	peak, err := peakOf(text)
	require.Less(t, peak, int64(10*len(text)+256<<20), "for an input of %d bytes", len(text))
	return err
}

// inUse is the amount of reachable memory. A collection finds it; the heap
// afterwards has new garbage by the time that a busy machine reads its size.
func inUse() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtime.GC()
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}

// requirePeak reads a dump while another goroutine measures the memory in use.
// Memory allocated during a collection counts as in use, so that the least of
// many counts.
func requirePeak(t *testing.T, form string, times int64) {
	text := hostile.Written(form, 1+1<<21/(len(form)+1))
	least := int64(math.MaxInt64)
	for range 20 {
		peak, _ := peakOf(text)
		if least = min(least, peak); least < times*int64(len(text)) {
			return
		}
	}
	t.Errorf("%d bytes for an input of %d", least, len(text))
}

// peakOf reads a dump until the memory was measured meanwhile.
func peakOf(text string) (int64, error) {
	for {
		if peak, readings, err := measured(text); readings > 0 {
			return peak, err
		}
	}
}

func measured(text string) (peak int64, readings int, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // the setting of a program
	before := inUse()
	end, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		for ; ; readings++ {
			select {
			case <-end:
				return
			default:
				peak = max(peak, inUse())
			}
		}
	}()
	_, err = kube.ReadCluster(strings.NewReader(text))
	close(end)
	<-ended
	return peak - before, readings, err
}
