document.title = 'Till'
