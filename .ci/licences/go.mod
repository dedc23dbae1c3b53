module github.com/outrank-go/outrank/.ci/licences

go 1.26.0
