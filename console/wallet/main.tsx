document.title = 'Card'
