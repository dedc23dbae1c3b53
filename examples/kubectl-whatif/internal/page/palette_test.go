package page

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var variable = regexp.MustCompile(`--([a-z0-9-]+): #([0-9a-f]{6});`)

// palettes are the colours of the style, by theme and name.
func palettes(t *testing.T) map[string]map[string]string {
	light, dark, ok := strings.Cut(styleText, "@media screen and (prefers-color-scheme: dark)")
	require.True(t, ok)
	dark, _, ok = strings.Cut(dark, "* { box-sizing")
	require.True(t, ok)
	out := map[string]map[string]string{"light": {}, "dark": {}}
	for theme, text := range map[string]string{"light": light, "dark": dark} {
		for _, m := range variable.FindAllStringSubmatch(text, -1) {
			out[theme][m[1]] = m[2]
		}
	}
	return out
}

// luminance is the brightness of a colour by the Web Content Accessibility
// Guidelines.
func luminance(hex string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, _ := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		c := float64(n) / 255
		if c <= 0.03928 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrastOf(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Each colour stands out from its background: texts by 4.5 to 1, and the lines
// that tell shapes apart by 3 to 1.
func TestPalette(t *testing.T) {
	for theme, colours := range palettes(t) {
		check := func(front, behind string, least float64) {
			require.NotEmpty(t, colours[front], front)
			require.NotEmpty(t, colours[behind], behind)
			assert.GreaterOrEqual(t, contrastOf(colours[front], colours[behind]), least, "%s: %s on %s", theme, front, behind)
		}
		for _, behind := range []string{"paper", "card", "free", "tag", "chosen"} {
			check("ink", behind, 4.5)
			check("soft", behind, 4.5)
		}
		for i := range stepsBelow {
			check(fmt.Sprint("on-low", i), fmt.Sprint("low", i), 4.5)
		}
		for i := range stepsAbove {
			check(fmt.Sprint("on-high", i), fmt.Sprint("high", i), 4.5)
		}
		for i := range mostShades + 1 {
			check(fmt.Sprint("on-l", i), fmt.Sprint("l", i), 4.5)
		}
		check("on-comes", "comes", 4.5)
		for i := range mostOrigins {
			check("on-from", fmt.Sprint("from", i), 4.5)
			check(fmt.Sprint("from", i), "paper", 3)
			check(fmt.Sprint("from", i), "free", 3)
			check(fmt.Sprint("from", i), "stay", 2)
		}
		check("leaves", "stay", 3)
		check("edge", "paper", 3)
		check("leaves", "paper", 4.5)
		check("leaves", "chosen", 4.5)
		check("card", "leaves", 4.5)
		for _, line := range []string{"seam", "frame", "comes", "leaves", "kept", "focus"} {
			check(line, "paper", 3)
			check(line, "free", 3)
		}
		check("leaves", "low0", 3)
		check("cross", "comes", 3)
		// Darker is more important, or lighter in the dark, step by step.
		steps := []string{"low0", "low1", "low2", "low3", "high0", "high1", "high2"}
		for i := range steps[1:] {
			assert.Equal(t, theme == "light", luminance(colours[steps[i+1]]) < luminance(colours[steps[i]]), "%s: %s after %s", theme, steps[i+1], steps[i])
			assert.Greater(t, contrastOf(colours[steps[i+1]], colours[steps[i]]), 1.2, "%s: %s and %s", theme, steps[i+1], steps[i])
		}
		for i := range mostShades {
			assert.Greater(t, contrastOf(colours[fmt.Sprint("l", i)], colours[fmt.Sprint("l", i+1)]), 1.15, "%s: level %d", theme, i)
		}
	}
}
