package parts

import (
	"fmt"
	"math/rand/v2"
	"testing"
	_ "unsafe" // for the functions of the kubelet that it does not export

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	_ "k8s.io/kubernetes/pkg/kubelet/eviction" // has these functions

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// statsOf returns what a pod uses, if that is known.
type statsOf = func(pod *corev1.Pod) (statsapi.PodStats, bool)

//go:linkname rankMemory k8s.io/kubernetes/pkg/kubelet/eviction.rankMemoryPressure
func rankMemory(pods []*corev1.Pod, stats statsOf)

//go:linkname rankPID k8s.io/kubernetes/pkg/kubelet/eviction.rankPIDPressure
func rankPID(pods []*corev1.Pod, stats statsOf)

//go:linkname rankDisk k8s.io/kubernetes/pkg/kubelet/eviction.rankDiskPressureFunc
func rankDisk(measures []string, name corev1.ResourceName) func(pods []*corev1.Pod, stats statsOf)

// pressed is a pod in both kinds of plain types, with what it uses.
type pressed struct {
	theirs *corev1.Pod
	ours   *outrank.Pod
	known  bool
	use    kubeletadmit.Usage
	stats  statsapi.PodStats
	text   string
}

func (d draw) pressed(t *testing.T, name string) *pressed {
	spec, status := d.podSpec(), object{}
	if !d.oneIn(5) {
		spec["priority"] = []int{0, 0, 10, -5, 2_000_000_000, 2_000_001_000}[d.IntN(6)]
	}
	if d.oneIn(3) {
		status["qosClass"] = d.pick("BestEffort", "Burstable", "Guaranteed")
	}
	p := &pressed{theirs: &corev1.Pod{}, ours: &outrank.Pod{}, known: !d.oneIn(6)}
	p.text = both(t, object{"metadata": object{"name": name, "namespace": "default", "uid": name}, "spec": spec, "status": status}, p.theirs, p.ours)

	amount := func() int64 {
		return []int64{0, 1, 2, 1500, 2000, 1 << 26, 100_000_000, 1 << 30, 1<<30 + 1, 3 << 29, 1 << 40}[d.IntN(11)]
	}
	p.use = kubeletadmit.Usage{Memory: amount(), Disk: amount(), Inodes: amount(), Processes: int64(d.IntN(4)) * 7}
	of := func(n int64) *uint64 { u := uint64(n); return &u }
	p.stats = statsapi.PodStats{
		ProcessStats: &statsapi.ProcessStats{ProcessCount: of(p.use.Processes)},
		Containers:   []statsapi.ContainerStats{{Rootfs: &statsapi.FsStats{UsedBytes: of(p.use.Disk), InodesUsed: of(p.use.Inodes)}}},
	}
	if p.use.Memory > 0 || d.oneIn(2) { // no figure counts as 0
		p.stats.Memory = &statsapi.MemoryStats{WorkingSetBytes: of(p.use.Memory)}
	}
	return p
}

// Under pressure pods are ranked as the kubelet ranks them (chapter 18). It does not order equal pods, so that each
// pair of neighbours is asked in both orders: the second must not come first in both.
func TestPressure(t *testing.T) {
	pairs, ties := 0, 0
	for i := range *cases / 4 {
		d := draw{rand.New(rand.NewPCG(*seed, uint64(i)))}
		pods := map[string]*pressed{}
		var ours []*outrank.Pod
		text := ""
		for n := range 2 + d.IntN(6) {
			p := d.pressed(t, fmt.Sprint("p", n))
			pods[p.ours.Name] = p
			ours, text = append(ours, p.ours), text+fmt.Sprintf("%s\nuses %+v, known: %v\n", p.text, p.use, p.known)
		}
		stats := func(p *corev1.Pod) (statsapi.PodStats, bool) { return pods[p.Name].stats, pods[p.Name].known }
		for pressure, rank := range map[kubeletadmit.Pressure]func([]*corev1.Pod, statsOf){
			kubeletadmit.MemoryPressure: rankMemory, kubeletadmit.PIDPressure: rankPID,
			kubeletadmit.DiskPressure: rankDisk([]string{"root"}, corev1.ResourceEphemeralStorage),
		} {
			ranked, err := kubeletadmit.RankForEviction(ours, pressure, func(p *outrank.Pod) (kubeletadmit.Usage, bool) { return pods[p.Name].use, pods[p.Name].known })
			require.NoError(t, err)
			for n := 1; n < len(ranked); n++ {
				a, b := pods[ranked[n-1].Pod.Name].theirs, pods[ranked[n].Pod.Name].theirs
				x, y := []*corev1.Pod{a, b}, []*corev1.Pod{b, a}
				rank(x, stats)
				rank(y, stats)
				require.False(t, x[0] == b && y[0] == b, "under %s %s comes before %s\n%s", pressure, a.Name, b.Name, text)
				pairs++
				if x[0] != y[0] {
					ties++
				}
			}
		}
	}
	t.Logf("%d lists from seed %d: %d pairs, %d of them equal", *cases/4, *seed, pairs, ties)
	require.Greater(t, pairs, 10*ties)
}
