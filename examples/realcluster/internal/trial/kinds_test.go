package trial

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"
)

func TestKindsComeFromTheSeed(t *testing.T) {
	names := map[string]bool{}
	for _, k := range Kinds() {
		assert.False(t, names[k.Name], "two kinds %s", k.Name)
		names[k.Name] = true
		assert.Empty(t, validation.IsDNS1123Label(k.Name))
		assert.NotEmpty(t, k.About)
		shapes := map[string]bool{}
		for seed := range uint64(50) {
			a := k.Pod(rand.New(rand.NewPCG(seed, 0)), "p")
			b := k.Pod(rand.New(rand.NewPCG(seed, 0)), "p")
			require.Equal(t, a, b, k.Name)
			require.NotEmpty(t, a.Namespace)
			shapes[a.Spec.String()] = true
		}
		assert.True(t, len(shapes) > 1, "%s: all pods are alike", k.Name)
	}
}

// Pods ask for the profiles of the scheduler, those of one kind for all of them, also where
// they come before the pod that is asked about.
func TestKindsAskForProfiles(t *testing.T) {
	for _, k := range Kinds() {
		asked := map[string]bool{}
		for seed := range uint64(50) {
			r := rand.New(rand.NewPCG(seed, 0))
			asked["of the pod: "+k.Pod(r, "p").Spec.SchedulerName] = true
			for _, earlier := range k.Before.Nominated {
				asked["of earlier ones: "+earlier(r, "q").Spec.SchedulerName] = true
			}
		}
		want := map[string]bool{"of the pod: ": true}
		if len(k.Before.Nominated) > 0 {
			want["of earlier ones: "] = true
		}
		if k.Profiles {
			want = map[string]bool{}
			for _, profile := range Profiles {
				want["of the pod: "+profile], want["of earlier ones: "+profile] = true, true
			}
		}
		assert.Equal(t, want, asked, k.Name)
	}
	assert.True(t, slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.Profiles }))
}

func TestSchedule(t *testing.T) {
	kinds := Kinds()
	n := 3*len(kinds) + 2
	draw := func(seed uint64) (out []string) { return namesOf(Schedule(kinds, n, rand.New(rand.NewPCG(seed, 0)))) }
	first := draw(1)
	assert.Len(t, first, n)
	assert.Equal(t, first, draw(1))
	assert.NotEqual(t, first, draw(2))
	times := map[string]int{}
	for _, name := range first {
		times[name]++
	}
	for _, k := range kinds {
		assert.InDelta(t, 3.5, times[k.Name], 0.5, k.Name)
	}
	assert.Empty(t, Schedule(kinds, 0, rand.New(rand.NewPCG(1, 0))))
}

func TestChoose(t *testing.T) {
	all, err := Choose("")
	require.NoError(t, err)
	assert.Len(t, all, len(Kinds()))
	two, err := Choose("never,budgets")
	require.NoError(t, err)
	assert.Equal(t, []string{"never", "budgets"}, namesOf(two))
	_, err = Choose("never,ever")
	assert.ErrorContains(t, err, `"ever"`)
	assert.ErrorContains(t, err, "budgets-mixed")
}

func TestReadmeCommand(t *testing.T) {
	command, err := ReadmeCommand("../../../../README.md")
	require.NoError(t, err)
	assert.Equal(t, "kubectl", command[0])
	assert.Contains(t, strings.Join(command, " "), "-A -o json")
	_, err = ReadmeCommand("kinds_test.go")
	assert.ErrorContains(t, err, "no line")
}

// All pods of a kind for a profile ask for it, those that come before as well, and whatif is told.
func TestKindsForAProfile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, kind := range Kinds() {
		k := kind.For("mine")
		assert.Equal(t, "mine", k.Pod(r, "p").Spec.SchedulerName, k.Name)
		assert.True(t, k.Profiles)
		assert.Len(t, k.Before.Nominated, len(kind.Before.Nominated))
		for _, earlier := range k.Before.Nominated {
			assert.Equal(t, "mine", earlier(r, "q").Spec.SchedulerName, k.Name)
		}
	}
}
