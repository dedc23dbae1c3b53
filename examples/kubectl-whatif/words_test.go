package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unusual matches words for what users call recreated, pending and evicted.
var unusual = regexp.MustCompile(`(?i)\b(ma[dk]es? (it |them )?again|created again|in vain|(of |no) no use|no use|whom)\b`)

// Texts of the program, and those of package explain that it prints, are in the words that
// users have. Names of fields and values in JSON stay as they are.
func TestTextsUseUsualWords(t *testing.T) {
	texts := 0
	check := func(where, text string) {
		texts++
		assert.Empty(t, unusual.FindString(text), where)
	}
	for _, root := range []string{".", filepath.FromSlash("../../preemption/explain")} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			switch ext := filepath.Ext(path); {
			case ext == ".tmpl", ext == ".md" && root == ".", ext == ".js", ext == ".golden" && !strings.Contains(path, "json"):
				text, err := os.ReadFile(path)
				check(path, string(text))
				return err
			case ext != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil {
						check(path, text)
					}
				}
				return true
			})
			return nil
		}))
	}
	assert.Greater(t, texts, 1000)
}
