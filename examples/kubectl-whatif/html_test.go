package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page of the sample cluster, byte by byte.
func TestHTMLGolden(t *testing.T) {
	got := answered(t, "", "-o", "html")
	file := filepath.Join("testdata", "sample.html.golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(string(want), got), "after a change that is meant run go test -update (-want +got)")
}

var dataVictim = regexp.MustCompile(`<tr role="row" data-victim="([^"]*)"`)

// The page answers what the text answers, whatever the question.
func TestHTMLAnswersTheSame(t *testing.T) {
	for _, args := range [][]string{nil, {"--pending", "ml/train-2"}, {"--cpu", "100m"}, {"--cpu", "6", "--priority", "200000"}, {"--cpu", "900", "--priority", "5"}} {
		page := answered(t, "", append(args, "-o", "html")...)
		a := answerOf(t, "", args...)
		want, got := []string{}, []string{}
		for _, v := range a.Victims {
			want = append(want, v.Key)
		}
		for _, m := range dataVictim.FindAllStringSubmatch(page, -1) {
			got = append(got, m[1])
		}
		assert.Equal(t, want, got, args)
		assert.Contains(t, page, `the sample cluster`)
		for _, h := range a.Hints {
			assert.Contains(t, page, h)
		}
	}
}

// What makes the answer doubtful stands on the page.
func TestHTMLSaysItsCaveats(t *testing.T) {
	page := answered(t, resizeDump("3"), "--cluster", "-", "--pending", "default/me", "--release", resizesOn, "-o", "html")
	assert.Contains(t, page, "Before you rely on this")
	assert.Contains(t, page, "the dump holds no priority classes, and every cluster has some; add priorityclasses to kubectl get")
	assert.Contains(t, page, "can grow</h1>")
}
