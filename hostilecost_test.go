package outrank_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// long are dumps in which one thing is there many times: what stands between two
// @, with a number for %d.
var long = map[string]string{
	"scripts in annotations":   inPod(`"metadata":{"name":"p","annotations":{@"script-%d":"#!/bin/sh\n\techo \"one\" \\\n\t\t\"two\"\n"@}}`),
	"one string":               inPod(`"metadata":{"name":"p","annotations":{"script":"@echo \"%d\"\n@"}}`),
	"one string of quotes":     inPod(`"metadata":{"name":"p","annotations":{"script":"@\"\\@"}}`),
	"nulls":                    inList(`null`),
	"containers":               inSpec(`"containers":[@{"name":"c%d"}@]`),
	"containers with statuses": inPod(`"metadata":{"name":"p"},"spec":{"containers":[@{"name":"c%d"}@]},"status":{"containerStatuses":[@{"name":"c%d"}@]}`),
	"statuses of others":       inPod(`"metadata":{"name":"p"},"spec":{"initContainers":[@{"name":"c%d"}@]},"status":{"initContainerStatuses":[@{"name":"d%d"}@]}`),
	"sidecars":                 inSpec(`"initContainers":[@{"name":"c%d","restartPolicy":"Always","resources":{"requests":{"cpu":"1","x/r%d":"1"}}}@]`),
	"tolerations":              inSpec(`"tolerations":[@{"key":"k%d"}@]`),
	"labels":                   inPod(`"metadata":{"name":"p","labels":{@"k%d":"v"@}}`),
	"requests":                 inSpec(`"containers":[{"name":"c","resources":{"requests":{@"x/r%d":"1"@}}}]`),
	"wrong requests":           inSpec(`"containers":[{"name":"c","resources":{"requests":{@"x/r%d":"x"@}}}]`),
	"negative requests":        inSpec(`"containers":[{"name":"c","resources":{"requests":{@"x/r%d":"-1"@}}}]`),
	"wrong types":              inSpec(`"containers":[@{"name":%d}@]`),
	"one wrong type":           inSpec(`"nodeName":7,"containers":[@{"name":"c%d"}@]`),
	"unread":                   inSpec(`"other":[@{"name":"c%d"}@]`),
	"ports":                    inSpec(`"containers":[{"name":"c","ports":[@{"hostPort":%d}@]}]`),
	"claims of a pod":          inSpec(`"volumes":[@{"name":"v%d","persistentVolumeClaim":{"claimName":"c%d"}}@]`),
	"gates":                    inSpec(`"schedulingGates":[@{"name":"g%d"}@]`),
	"owners":                   inPod(`"metadata":{"name":"p","ownerReferences":[@{"name":"o%d"}@]}`),
	"conditions":               inPod(`"metadata":{"name":"p"},"status":{"conditions":[@{"type":"t%d"}@]}`),
	"terms of nodes":           inSpec(`"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[@{"matchExpressions":[{"key":"a%d","operator":"In","values":["x"]}]}@]}}}`),
	"terms of pods":            inSpec(`"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[@{"topologyKey":"k%d","labelSelector":{"matchLabels":{"a":"b%d"}}}@]}}`),
	"spreads":                  inSpec(`"topologySpreadConstraints":[@{"maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","topologyKey":"k%d","labelSelector":{"matchLabels":{"a":"b%d"}}}@]`),
	"taints":                   inList(`{"kind":"Node","metadata":{"name":"n%d"},"spec":{"taints":[{"key":"k%d","effect":"NoSchedule"}]}}`),
	"taints of a node":         `{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[@{"key":"k%d","effect":"NoSchedule"}@]}}`,
	"disrupted pods":           `{"kind":"PodDisruptionBudget","metadata":{"name":"b"},"status":{"disruptedPods":{@"p%d":"2026-01-01T00:00:00Z"@}}}`,
	"selector":                 `{"kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"selector":{"matchExpressions":[@{"key":"k%d","operator":"Exists"}@]}}}`,
	"budgets":                  inList(`{"kind":"PodDisruptionBudget","metadata":{"name":"b%d"},"spec":{"selector":{"matchLabels":{"app":"x"}}}}`),
	"drivers":                  `{"kind":"CSINode","metadata":{"name":"n"},"spec":{"drivers":[@{"name":"d%d","allocatable":{"count":1}}@]}}`,
	"required drivers":         inList(`{"kind":"Node","metadata":{"name":"n%d"}},{"kind":"CSINode","metadata":{"name":"n%d"}},` + requiredDriver),
	"nodes without drivers":    inList(`{"kind":"Node","metadata":{"name":"n%d"}}`) + `{"kind":"CSINode","metadata":{"name":"n"}}` + strings.ReplaceAll(written("@"+requiredDriver+"@", 100), "},{\"k", "}\n{\"k"),
	"claims and volumes":       inList(`{"kind":"PersistentVolumeClaim","metadata":{"name":"c%d"},"spec":{"volumeName":"v%d"}},{"kind":"PersistentVolume","metadata":{"name":"v%d"}}`),
	"volumes of one name":      inList(`{"kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"volumeName":"v%d"}},{"kind":"PersistentVolume","metadata":{"name":"v"}}`),
	"chain of groups":          inList(`{"kind":"CompositePodGroup","metadata":{"name":"c%d"},"spec":{"parentCompositePodGroupName":"c1%d"}},{"kind":"PodGroup","metadata":{"name":"g%d"},"spec":{"parentCompositePodGroupName":"c%d","schedulingPolicy":{"basic":{}}}}`),
	"groups of one parent":     inList(`{"kind":"CompositePodGroup","metadata":{"name":"c%d"},"spec":{"parentCompositePodGroupName":"c0","disruptionMode":{"all":{}}}}`),
	"templates":                `{"kind":"Workload","metadata":{"name":"w"},"spec":{"podGroupTemplates":[@{"name":"t%d"}@]}}`,
	"composite templates":      `{"kind":"Workload","metadata":{"name":"w"},"spec":{"compositePodGroupTemplates":[{"name":"t","compositePodGroupTemplates":[@{"name":"t%d"}@]}]}}`,
	"unread in templates":      `{"kind":"Workload","metadata":{"name":"w"},"spec":{"compositePodGroupTemplates":[{"name":"t","compositePodGroupTemplates":[{"name":"t","other":[@{"name":"t%d"}@]}]}]}}`,
	"topology of a group":      `{"kind":"PodGroup","metadata":{"name":"g"},"spec":{"schedulingConstraints":{"topology":[@{"key":"k%d"}@]}}}`,
	"who disables preemption":  `{"kind":"Node","metadata":{"name":"n"},"spec":{"podPreemptionPolicy":{"disableResizePreemption":[@"a%d"@]}}}`,
	"pods of a group":          inList(`{"kind":"PodGroup","metadata":{"name":"g%d"},"spec":{}},{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"schedulingGroup":{"podGroupName":"g"}}}`),
}

const requiredDriver = `{"kind":"CSIDriver","metadata":{"name":"d%d"},"spec":{"preventPodSchedulingIfMissing":true}}`

func inList(part string) string   { return `{"kind":"List","items":[@` + part + `@]}` }
func inPod(parts string) string   { return `{"kind":"Pod",` + parts + `}` }
func inSpec(fields string) string { return inPod(`"metadata":{"name":"p"},"spec":{` + fields + `}`) }

// written is a dump with so many of its parts.
func written(form string, times int) string {
	var b strings.Builder
	for i, part := range strings.Split(form, "@") {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		for n := range times {
			if n > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(part, "%d", fmt.Sprint(n)))
		}
	}
	return b.String()
}

// Reading takes time in proportion to the input, whatever there is many times.
func TestHostileInputTakesLinearTime(t *testing.T) {
	const few, times = 1250, 16
	for name, form := range long {
		t.Run(name, func(t *testing.T) {
			texts := [2]string{written(form, few), written(form, times*few)}
			least := [2]time.Duration{time.Hour, time.Hour}
			for range 20 {
				for i, text := range texts {
					start := time.Now()
					if c, err := outrank.ReadCluster(strings.NewReader(text)); err == nil {
						c.Warnings()
					}
					least[i] = min(least[i], time.Since(start))
				}
				// Other work of the machine, and caches that a larger input leaves, may
				// make it longer; what is quadratic takes 256 times as long.
				if least[1] < 6*times*least[0] {
					return
				}
			}
			t.Errorf("%d take %v, %d take %v", few, least[0], times*few, least[1])
		})
	}
}

// The memory in use while a dump is read is no more than ten times its size where
// it holds long strings, nulls, or containers as the API server shows them; and what
// is kept of it is no more than that for any dump here. An object that is nothing
// but a list of the smallest parts there are takes more while it is read.
func TestHostileInputTakesLinearMemory(t *testing.T) {
	as := map[string]string{
		"containers as they are shown": inPod(`"metadata":{"name":"p"},"spec":{"containers":[@` +
			`{"name":"c%d","image":"registry.example/app:%d","imagePullPolicy":"IfNotPresent","terminationMessagePath":"/dev/termination-log","resources":{"requests":{"cpu":"1"}}}@]},` +
			`"status":{"containerStatuses":[@{"name":"c%d","allocatedResources":{"cpu":"1"},"resources":{"requests":{"cpu":"1"}},"image":"registry.example/app:%d",` +
			`"imageID":"registry.example/app:sha256-0123456789abcdef0123456789abcdef","ready":true,"restartCount":0,"started":true,"state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}}}@]}`),
	}
	for _, name := range []string{"scripts in annotations", "one string", "one string of quotes", "nulls", "unread", "budgets", "claims and volumes"} {
		as[name] = long[name]
	}
	for name, form := range as {
		t.Run(name, func(t *testing.T) { requirePeak(t, form, 10) })
	}
	for _, name := range []string{"containers", "wrong types", "one wrong type"} {
		t.Run(name, func(t *testing.T) { requirePeak(t, long[name], 38) })
	}
	for name, form := range long {
		t.Run("kept of "+name, func(t *testing.T) {
			text := written(form, 5000)
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
	text := written(form, 1+(2<<20)/(len(form)+1))
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
