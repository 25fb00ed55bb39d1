"""Common given and family names of many languages, and endings and particles of family names.

The lists are short: a column of names holds many of them, so the share of values that are known
tells a column of names from a column of towns or trades. Words stand without accents, in lower
case; :func:`shoal.contents.texts.folded` brings values into the same form.
"""

from __future__ import annotations

_GIVEN = """
james john robert michael william david richard joseph thomas charles christopher daniel matthew
anthony mark donald steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason
jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel
gregory frank alexander raymond patrick jack dennis jerry tyler aaron jose adam nathan henry douglas
zachary peter kyle walter ethan jeremy harold keith christian roger noah gerald carl terry sean
austin arthur lawrence jesse dylan bryan joe jordan billy bruce albert willie gabriel logan alan juan
wayne roy ralph randy eugene vincent russell elijah louis bobby philip johnny oliver harry leo oscar
archie alfie freddie theo callum liam connor rhys owen ewan graham nigel trevor clive stuart neil ian
mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty margaret
sandra ashley kimberly emily donna michelle carol amanda dorothy melissa deborah stephanie rebecca
sharon laura cynthia kathleen amy angela shirley anna brenda pamela emma nicole helen samantha
katherine christine debra rachel carolyn janet catherine maria heather diane ruth julie olivia joyce
virginia victoria kelly lauren christina joan evelyn judith megan andrea cheryl hannah jacqueline
martha gloria teresa ann sara madison frances kathryn janice jean abigail alice julia judy sophia
grace denise amber doris marilyn danielle beverly isabella theresa diana natalie brittany charlotte
marie kayla alexis lori harriet poppy jessie chloe lucy molly imogen fiona gillian maureen doreen
hans peter wolfgang klaus jurgen dieter manfred uwe bernd thomas michael andreas stefan frank markus
christian martin torsten thorsten sven ralf jorg dirk matthias karl heinz gunter gunther helmut werner
horst gerhard walter kurt rolf ernst otto friedrich wilhelm hermann heinrich herbert rudolf siegfried
jonas lukas leon finn felix maximilian paul tim niklas jan philipp tobias florian sebastian fabian
marcel dominik kevin patrick lennart malte hannes moritz emil anton jakob julian simon erik ole
ursula monika petra sabine renate karin brigitte helga ingrid andrea gisela claudia susanne gabriele
christa christine hildegard anna birgit barbara ute elke heike martina kerstin angelika silke anja
katrin kathrin nicole stefanie sandra julia katharina lena lea sophie johanna luisa mia hanna leonie
lara clara frieda ida greta marlene mathilda annika svenja franziska melanie tanja sonja ulrike jutta
gudrun annette cornelia regina rita erika edith gertrud elfriede irmgard ilse lieselotte hannelore
jean pierre michel andre philippe rene louis alain jacques bernard marcel daniel roger robert paul
claude christian henri georges nicolas francois laurent julien christophe eric patrick olivier gerard
pascal didier stephane frederic thierry sebastien david bruno dominique vincent antoine guillaume
maxime alexandre thomas lucas hugo theo nathan enzo mathis clement romain quentin benoit xavier gilles
marie jeanne francoise monique catherine nathalie isabelle jacqueline anne sylvie martine madeleine
nicole suzanne helene christine marguerite denise louise christiane yvonne valerie sophie sandrine
stephanie celine chantal brigitte patricia veronique annie camille lea manon chloe emma ines juliette
elodie aurelie audrey emilie pauline virginie laetitia delphine corinne florence josette simone odette
antonio jose manuel francisco juan david jose-antonio jesus javier daniel carlos miguel alejandro rafael
pedro pablo angel sergio fernando jorge luis alberto alvaro diego adrian raul enrique ramon vicente
ivan ruben oscar andres joaquin santiago eduardo victor roberto jaime mario ignacio salvador ricardo
julio emilio guillermo julian tomas agustin gonzalo marcos hugo mateo leonardo emiliano rodrigo
carmen maria ana isabel dolores pilar josefa teresa rosa antonia francisca laura cristina marta
mercedes elena concepcion lucia rosario juana raquel sara paula beatriz patricia silvia julia
encarnacion irene angela montserrat rocio margarita sonia andrea alba nuria yolanda susana esther
consuelo guadalupe veronica gabriela alejandra fernanda ximena valentina camila daniela mariana
giuseppe antonio giovanni mario luigi francesco angelo vincenzo pietro salvatore carlo franco domenico
bruno paolo michele giorgio aldo sergio luciano roberto marco andrea stefano alessandro matteo lorenzo
davide simone luca fabio massimo claudio gianni riccardo tommaso edoardo federico filippo nicola
anna giuseppina rosa angela giovanna teresa lucia carmela caterina francesca antonietta rita carla
elena concetta paola laura giulia chiara sofia aurora alice martina giorgia sara valentina federica
elisa silvia alessandra simona daniela patrizia stefania barbara monica cristina roberta ornella
joao jose antonio manuel francisco paulo pedro carlos luis rui jorge miguel tiago thiago diogo
rodrigo goncalo andre bruno ricardo fernando sergio marcos lucas gabriel rafael mateus gustavo felipe
leonardo eduardo vinicius henrique caio maria ana antonia adriana juliana marcia fernanda patricia
aline sandra camila amanda bruna jessica leticia julia luciana vanessa mariana beatriz ines joana
catarina sofia matilde leonor carolina rita teresa fatima conceicao graca
jan johannes cornelis hendrik willem pieter gerrit jacobus dirk klaas kees piet henk wim ruud bas bart
jeroen sander martijn wouter bram daan sem lucas levi thijs milan jesse lars sven ruben koen joris
johanna cornelia hendrika anna maria elisabeth wilhelmina petra ingrid marieke anouk sanne lotte
femke fleur emma tess julia zoe eva saskia esther linda mirjam hanneke annemarie ineke els truus
lars mikael anders johan erik per karl peter jan thomas daniel fredrik hans bengt mats andreas stefan
sven bo nils magnus gustav oscar axel olle lennart gunnar arne bjorn ole henrik kjell knut morten
soren jens niels jorgen kim torben mette kirsten hanne anne karen inger lene susanne maria anna
margareta elisabeth eva birgitta kristina karin marie ingrid linnea emma elin ida astrid freja alma
jan andrzej piotr krzysztof stanislaw tomasz pawel jozef marcin marek michal grzegorz jerzy tadeusz
adam lukasz zbigniew ryszard dariusz henryk mariusz kazimierz wojciech robert mateusz marian rafal
jacek janusz miroslaw maciej slawomir jaroslaw kamil wieslaw roman anna maria katarzyna malgorzata
agnieszka krystyna barbara ewa elzbieta zofia janina teresa joanna magdalena monika jadwiga danuta
irena halina helena beata aleksandra marta dorota marianna grazyna jolanta stanislawa iwona karolina
jiri josef pavel martin tomas jaroslav miroslav zdenek vaclav michal frantisek jakub milan karel lukas
ondrej vojtech david marek jana marie eva hana anna lenka katerina vera lucie alena petra veronika
jaroslava tereza martina jitka helena ludmila zdenka ivana monika eliska zuzana
mehmet mustafa ahmet ali huseyin hasan ibrahim ismail osman yusuf murat omer ramazan halil suleyman
abdullah emre burak fatih kemal serkan kadir can cem fatma ayse emine hatice zeynep elif meryem
serife zehra sultan hanife merve zeliha esra ozlem yasemin sevgi gul ebru
juha matti timo kari mikko antti jari jukka pekka juhani johannes tapio antero olavi kalevi heikki
sari tuula anne paivi anna kaisa riitta maria helena anneli johanna liisa marjatta
laszlo istvan jozsef janos zoltan sandor ferenc gabor attila peter tamas zsolt tibor andras csaba
imre lajos balazs gyorgy maria erzsebet katalin ilona eva anna zsuzsanna margit judit agnes andrea
julianna erika krisztina eszter
andrei alexandru ion gheorghe vasile mihai florin constantin nicolae marian adrian cristian dan
radu bogdan ionut elena ioana mihaela cristina daniela andreea alexandra gabriela ana-maria
vladimir sergei sergey aleksandr alexander dmitri dmitry andrei aleksei alexey ivan nikolai mikhail
evgeny igor oleg yuri viktor pavel maxim anton roman denis boris elena olga natalia tatiana irina
svetlana anna ekaterina maria anastasia ksenia yulia ludmila galina nina vera larisa oksana
giorgos georgios dimitris dimitrios konstantinos ioannis nikolaos panagiotis christos vasilis
eleni katerina vasiliki sofia angeliki georgia dimitra anastasia
mohamed mohammed muhammad ahmed ali omar hassan hussein khaled youssef yusuf ibrahim mahmoud karim
samir tariq bilal hamza fatima aisha khadija zainab maryam mariam leila layla nour amina yasmin
priya rahul amit anil sunil raj sanjay vijay rajesh ravi arjun rohan deepak ananya pooja neha anjali
kavita sunita lakshmi arun suresh ramesh mohan krishna aditya divya shreya
wei fang min jing li na xiu ying qiang lei jun yong yan jie tao ming chao hui ping gang
hiroshi takashi kenji haruto yuki sakura yoko keiko akira satoshi naoko yumi minh anh linh huong
thi van duc tuan hung nguyen jisoo minjun seoyeon jiwoo kwame kofi ama chinedu ngozi oluwaseun
иван александр сергей дмитрий алексей андрей владимир николай михаил евгений игорь олег юрий виктор
павел максим антон роман денис борис геннадий анатолий василий петр константин егор артем никита
елена ольга наталья татьяна ирина светлана анна екатерина мария анастасия ксения юлия людмила галина
нина вера лариса оксана валентина надежда любовь марина алла тамара зинаида раиса
"""

_FAMILY = """
smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez gonzalez
wilson anderson thomas taylor moore jackson martin lee perez thompson white harris sanchez clark
ramirez lewis robinson walker young allen king wright scott torres nguyen hill flores green adams
nelson baker hall rivera campbell mitchell carter roberts gomez phillips evans turner diaz parker cruz
edwards collins reyes stewart morris morales murphy cook rogers gutierrez ortiz morgan cooper peterson
bailey reed kelly howard ramos kim cox ward richardson watson brooks chavez wood james bennett gray
mendoza ruiz hughes price alvarez castillo sanders patel myers long ross foster jimenez powell jenkins
perry russell sullivan bell coleman butler henderson barnes fisher vasquez simmons graham murray ford
hamilton griffin wallace west cole hayes bryant gibson ellis stevens ferguson webb tucker porter hunter
hicks crawford boyd mason kennedy warren dixon burns gordon shaw holmes rice robertson hunt black
daniels palmer mills grant knight ferguson stone hawkins dunn perkins hudson spencer gardner payne
davies walsh wilkinson khan ahmed begum hussain ali singh kaur shah patel sharma gupta kumar verma
muller schmidt schneider fischer weber meyer wagner becker schulz hoffmann schafer koch bauer richter
klein wolf schroder neumann schwarz zimmermann braun kruger hofmann hartmann lange schmitt werner
krause meier lehmann schmid schulze maier kohler herrmann konig walter mayer huber kaiser fuchs peters
lang scholz moller weiss jung hahn schubert vogel friedrich keller gunther frank berger winkler roth
beck lorenz baumann franke albrecht schuster simon ludwig bohm winter kraus martin schumacher kramer
vogt stein jager otto sommer gross seidel heinrich brandt haas schreiber graf schulte dietrich ziegler
kuhn kuhne pohl engel horn busch bergmann thomas voigt sauer arnold wolff pfeiffer
martin bernard dubois thomas robert richard petit durand leroy moreau simon laurent lefebvre michel
garcia david bertrand roux vincent fournier morel girard andre lefevre mercier dupont lambert bonnet
francois martinez legrand garnier faure rousseau blanc guerin muller henry roussel nicolas perrin
morin mathieu clement gauthier dumont lopez fontaine chevalier robin masson sanchez gerard nguyen boyer
denis lemaire duval joly gautier roger roche roy noel meyer lucas meunier jean marchand dufour blanchard
garcia rodriguez gonzalez fernandez lopez martinez sanchez perez gomez martin jimenez ruiz hernandez
diaz moreno munoz alvarez romero alonso gutierrez navarro torres dominguez vazquez ramos gil ramirez
serrano blanco molina morales suarez ortega delgado castro ortiz rubio marin sanz nunez iglesias
medina garrido cortes castillo santos lozano guerrero cano prieto mendez cruz calvo gallego vidal leon
marquez herrera pena flores cabrera campos vega fuentes carrasco diez caballero reyes nieto aguilar
rossi russo ferrari esposito bianchi romano colombo ricci marino greco bruno gallo conti de-luca mancini
costa giordano rizzo lombardi moretti barbieri fontana santoro mariani rinaldi caruso ferrara galli
martini leone longo gentile martinelli vitale lombardo serra coppola d-angelo marchetti parisi villa
silva santos ferreira pereira oliveira costa rodrigues martins jesus sousa souza fernandes goncalves
gomes lopes marques alves almeida ribeiro pinto carvalho teixeira moreira correia mendes nunes soares
vieira monteiro cardoso rocha neves coelho cruz cunha pires ramos reis simoes antunes matos fonseca
lima araujo barbosa nascimento barros dias moura freitas
jong jansen vries berg dijk bakker janssen visser smit meijer boer mulder groot bos vos peters hendriks
leeuwen dekker brouwer wit dijkstra smits graaf meer linden kok jacobs haan vermeulen heuvel veen broek
andersson johansson karlsson nilsson eriksson larsson olsson persson svensson gustafsson pettersson
jonsson jansson hansson bengtsson lindberg lindstrom berg bergstrom nielsen jensen hansen pedersen
andersen christensen larsen sorensen rasmussen jorgensen petersen olsen johansen kristiansen karlsen
nowak kowalski wisniewski wojcik kowalczyk kaminski lewandowski zielinski szymanski wozniak dabrowski
kozlowski jankowski mazur kwiatkowski krawczyk kaczmarek piotrowski grabowski zajac pawlowski michalski
novak svoboda novotny dvorak cerny prochazka kucera vesely horak nemec pokorny marek pospisil
yilmaz kaya demir celik sahin yildiz yildirim ozturk aydin ozdemir arslan dogan kilic aslan cetin kara
korhonen virtanen makinen nieminen makela hamalainen laine heikkinen koskinen jarvinen lehtonen
nagy kovacs toth szabo horvath varga kiss molnar nemeth farkas balogh papp takacs juhasz lakatos
popescu ionescu popa radu dumitru stan stoica gheorghe matei ciobanu rusu constantin marin
ivanov smirnov kuznetsov popov vasiliev petrov sokolov mikhailov novikov fedorov morozov volkov
papadopoulos papadakis georgiou ioannou dimitriou nikolaidis pappas
wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo lin gao liang zheng
kim lee park choi jung kang cho yoon sato suzuki takahashi tanaka watanabe ito yamamoto nakamura
tran le pham hoang phan vu dang bui
mensah okafor adeyemi okeke diallo traore ndiaye haddad mansour nasser khalil saleh aziz rahman
cohen levy mizrahi goldberg friedman rosenberg
иванов смирнов кузнецов попов васильев петров соколов михайлов новиков федоров морозов волков алексеев
лебедев семенов егоров павлов козлов степанов николаев орлов андреев макаров никитин захаров зайцев
иванова смирнова кузнецова попова васильева петрова соколова михайлова новикова федорова морозова
"""

GIVEN = frozenset(_GIVEN.split())
FAMILY = frozenset(_FAMILY.split())

# Endings that make a word a likely family name; only words of six letters or more are asked.
FAMILY_ENDINGS = (
    # Germanic
    "mann", "bauer", "meier", "meyer", "maier", "berger", "hauser", "huber", "stein", "wski", "wska",
    "schmidt", "hoff", "kamp", "macher", "muller", "hofer", "inger", "acker", "sson", "ssen", "qvist",
    "strom", "gren", "stra", "sma", "huis", "veld",
    # English and Celtic
    "son", "ton", "ford", "worth", "field", "croft", "well", "wood", "ley", "shaw", "combe", "thwaite",
    # Slavic
    "ski", "ska", "cki", "cka", "czyk", "czak", "ova", "eva", "enko", "chuk", "vic", "vich", "kova",
    "ovic", "evic", "ов", "ова", "ев", "ева", "ин", "ина", "енко", "ский", "ская", "чук", "ёв", "ёва",
    # Romance
    "ez", "eira", "eiro", "elli", "ello", "ini", "etti", "etto", "ucci", "acci", "eau", "ault", "ard",
    "escu", "eanu", "oiu", "ieri", "eux", "ois", "aes", "oes",
    # Others
    "nen", "oglu", "opoulos", "akis", "idis", "yan", "ian", "shvili", "adze", "sen",
)  # fmt: skip
FAMILY_BEGINNINGS = ("mc", "mac", "o'", "d'", "dell'", "fitz", "bin", "ibn", "al-", "el-")
PARTICLES = frozenset(
    "van von der den de del della di da das dos do du le la ter ten zu zum zur af av bin ibn al el st "
    "y e und vom".split()
)
TITLES = frozenset(
    "dr prof mr mrs ms miss sir dame herr frau hr fr mme mlle m sr sra srta d dona don dott sig ing "
    "mag dipl phd md rev jr ii iii".split()
)
